function robot = load(file, base)
%LOAD  A robot from a URDF, MJCF or Hamel JSON file, or from the text of one.
%
%   robot = hamel.load('quadruped.json')
%   robot = hamel.load('arm.urdf', 'fixed')   the root of a URDF: 'free' or 'fixed'
%   robot = hamel.load(jsonencode(s))         a text instead of a file
%
%   The robot is a hamel.Model. It is freed when its last copy is cleared.
  if nargin < 2
    base = '';
  end
  robot = hamel.Model(file, base);
end
