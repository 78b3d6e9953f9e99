function [s, gap] = lqr_quadruped(file, picture)
%LQR_QUADRUPED  A regulator for a quadruped that stands on its feet, and the motion that it calms; picture: a file to
%draw it into, or ''.
%
%   lqr_quadruped('robots/quadruped.json', 'push.svg')
  if nargin < 1
    file = fullfile(fileparts(mfilename('fullpath')), '..', '..', 'robots', 'quadruped.json');
  end
  if nargin < 2
    picture = '';
  end
  robot = hamel.load(file);
  feet = {'fl_foot', 'fr_foot', 'hl_foot', 'hr_foot'};
  nv = robot.nv;
  stand = robot.trim(robot.neutral(), feet);
  q = stand.position;
  v = zeros(nv, 1);
  s = robot.lqr(q, v, stand.torque, 10, 0.01, feet);
  % the closed loop after a push of the body, exact in the linear system, on the motions z = Z y that the feet leave
  Z = s.basis;
  r = size(Z, 2);
  d = robot.dynamics(q, v);
  push = [1; zeros(nv - 1, 1)];
  y = [zeros(r, 1); Z' * d.M * push];
  closed = s.A - s.B * s.K * blkdiag(Z, Z);
  t = linspace(0, 2, 101);
  motion = zeros(2 * r, numel(t));
  for k = 1:numel(t)
    motion(:, k) = expm(closed * t(k)) * y;
  end
  gap = norm(motion(:, end)) / norm(y);
  fprintf('%s on %d feet: %d motions, slowest pole %.3f, perturbation after 2 s: %.1e of the first\n', robot.name, ...
          numel(feet), r, max(real(s.poles)), gap);
  if ~isempty(picture)
    names = robot.info().velocity_names;
    body = Z * motion(1:r, :);
    f = figure('visible', 'off');
    plot(t, body(1:6, :)');
    xlabel('time / s');
    ylabel('displacement of the body / m, rad');
    legend(names{1:6});
    print(f, picture);
    close(f);
  end
end
