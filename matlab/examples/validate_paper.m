function [e_max, e_avg] = validate_paper(file, samples)
%VALIDATE_PAPER  Section 5 of Bos, Traversaro, Pucci and Saccon (2022): exact derivatives against forward differences.
%
%   validate_paper(file, samples)   file: robots/nine.json, the paper's nine-joint robot; 100 samples
%
%   Placements, inertias, states and joint accelerations are uniform in [0, 1], redrawn for each sample; the forces
%   follow, with none on the base. Compares the derivatives of forward dynamics by the pose H of the base, the joint
%   positions s, the velocity v of the base and the joint velocities r with forward differences of step 1e-6. Errors
%   are divided by the mean absolute entry. `hamel validate` does the same.
  if nargin < 1
    file = fullfile(fileparts(mfilename('fullpath')), '..', '..', 'robots', 'nine.json');
  end
  if nargin < 2
    samples = 100;
  end
  text = fileread(file);
  delta = 1e-6;
  largest = zeros(1, 4);
  total = zeros(1, 4);
  size_of = zeros(1, 4);
  entries = zeros(1, 4);
  for k = 1:samples
    robot = hamel.load(redraw(text));
    [q, v, tau] = draw_state(robot);
    nv = robot.nv;
    exact = robot.linearize(q, v, tau, 'all');
    D = exact.A(nv + 1:end, :);
    a = robot.dynamics(q, v, tau);
    differences = zeros(nv, 2 * nv);
    for i = 1:nv
      z = zeros(nv, 1);
      z(i) = delta;
      moved = robot.dynamics(robot.integrate(q, z), v, tau);
      differences(:, i) = (moved.acceleration - a.acceleration) / delta;
      moved = robot.dynamics(q, v + z, tau);
      differences(:, nv + i) = (moved.acceleration - a.acceleration) / delta;
    end
    parts = {1:6, 7:nv, nv + (1:6), nv + (7:nv)};
    for p = 1:4
      gap = abs(D(:, parts{p}) - differences(:, parts{p}));
      largest(p) = max(largest(p), max(gap(:)));
      total(p) = total(p) + sum(gap(:));
      size_of(p) = size_of(p) + sum(sum(abs(D(:, parts{p}))));
      entries(p) = entries(p) + numel(gap);
    end
  end
  e_max = largest ./ (size_of ./ entries);
  e_avg = total ./ size_of;
  names = {'H  pose of the base', 's  joint positions', 'v  velocity of the base', 'r  joint velocities'};
  paper_max = [4.10e-05 4.69e-03 1.82e-05 1.57e-04];
  paper_avg = [2.36e-06 1.36e-04 1.30e-06 1.38e-06];
  fprintf('%-24s %9s %9s %9s %9s\n', 'derivative by', 'e_max', 'paper', 'e_avg', 'paper');
  for p = 1:4
    fprintf('%-24s %9.2e %9.2e %9.2e %9.2e\n', names{p}, e_max(p), paper_max(p), e_avg(p), paper_avg(p));
  end
end

function text = redraw(text)
% the same tree with every placement and inertia drawn anew
  s = jsondecode(text);
  for i = 1:numel(s.bodies)
    if isempty(s.bodies(i).parent)
      s.bodies(i).parent = NaN; % null in JSON
    else
      s.bodies(i).joint.origin = struct('position', rand(1, 3), 'rotation', expm(hat(rand(3, 1))));
    end
    R = expm(hat(rand(3, 1)));
    sigma = rand(3, 1);
    moment = R * diag(sum(sigma) - sigma) * R';
    s.bodies(i).inertia = struct('mass', rand, 'com', rand(1, 3), 'moment', (moment + moment') / 2);
  end
  text = jsonencode(s);
end

function [q, v, tau] = draw_state(robot)
  nv = robot.nv;
  q = robot.integrate(robot.neutral(), rand(nv, 1));
  base = robot.jacobian('ball', q);
  R = base.pose(1:3, 1:3);
  o = base.pose(1:3, 4);
  w = rand(6, 1); % the twist of the base in the world, as the paper draws it
  v = [R' * (w(1:3) - cross(o, w(4:6))); R' * w(4:6); rand(nv - 6, 1)];
  d = robot.dynamics(q, v);
  b = 1:6;
  j = 7:nv;
  aj = rand(nv - 6, 1);
  ab = -d.M(b, b) \ (d.M(b, j) * aj + d.h(b));
  tau = [zeros(6, 1); d.M(j, b) * ab + d.M(j, j) * aj + d.h(j)];
end

function S = hat(x)
  S = [0 -x(3) x(2); x(3) 0 -x(1); -x(2) x(1) 0];
end
