function [K, gap] = lqr_arm(file, picture)
%LQR_ARM  A regulator about a pose of an arm, and the motion that it calms; picture: a file to draw it into, or ''.
%
%   lqr_arm('robots/arm7.json', '')
  if nargin < 1
    file = fullfile(fileparts(mfilename('fullpath')), '..', '..', 'robots', 'arm7.json');
  end
  if nargin < 2
    picture = '';
  end
  robot = hamel.load(file, 'fixed');
  nv = robot.nv;
  q = robot.integrate(robot.neutral(), 0.3 * ones(nv, 1));
  v = zeros(nv, 1);
  d = robot.dynamics(q, v);
  tau = d.h; % what holds the arm there
  s = robot.lqr(q, v, tau, 10, 0.1);
  K = s.K;
  x = robot.linearize(q, v, tau);
  % the closed loop from a perturbation: exact in the linear system
  z = [0.1 * ones(nv, 1); zeros(nv, 1)];
  t = linspace(0, 5, 101);
  motion = zeros(2 * nv, numel(t));
  for k = 1:numel(t)
    motion(:, k) = expm((x.A - x.B * K) * t(k)) * z;
  end
  gap = norm(motion(:, end)) / norm(z);
  fprintf('%s: slowest pole %.3f, perturbation after 5 s: %.1e of the first\n', robot.name, max(real(s.poles)), gap);
  if ~isempty(picture)
    f = figure('visible', 'off');
    plot(t, motion(1:nv, :)');
    xlabel('time / s');
    ylabel('perturbation of the joints / rad');
    print(f, picture);
    close(f);
  end
end
