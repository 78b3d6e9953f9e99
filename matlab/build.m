function build(prefix)
%BUILD  Compiles hamel_mex, the gateway of +hamel, against an installed Hamel, in MATLAB or Octave.
%
%   cd matlab; build            the libraries that pkg-config finds (hamel-io, hamel-control)
%   build('/home/me/opt/hamel') those of a prefix of `make install PREFIX=...`
%
%   Then: addpath(pwd); robot = hamel.load('quadruped.json')
  here = fileparts(mfilename('fullpath'));
  if nargin > 0
    setenv('PKG_CONFIG_PATH', fullfile(prefix, 'lib', 'pkgconfig'));
  end
  [failed, flags] = system('pkg-config --cflags --libs hamel-io hamel-control');
  if failed
    error('hamel:NOT_FOUND', 'pkg-config does not find hamel-io and hamel-control: %s', flags);
  end
  sources = {'gateway.c', 'arrays.c', 'commands.c', 'commands_control.c'};
  for i = 1:numel(sources)
    sources{i} = fullfile(here, 'src', sources{i});
  end
  words = strsplit(strtrim(flags));
  mex('-output', fullfile(here, 'hamel_mex'), sources{:}, words{:});
end
