function test_hamel(root)
%TEST_HAMEL  The gateway against what is known, against the command's own numbers, and with wrong arguments.
  robot = hamel.load(fullfile(root, 'robots', 'quadruped.json'));
  assert(robot.nq == 19 && robot.nv == 18);
  s = robot.info();
  assert(strcmp(s.velocity_names{1}, 'base.0') && numel(s.velocity_names) == 18 && numel(s.input_names) == 12);
  assert(any(strcmp(s.frames, 'fl_foot')) && abs(s.mass - sum(s.mass)) == 0);

  % M a + h = tau, energies, and the linearization against differences of high order
  rand('seed', 1);
  nv = robot.nv;
  q = robot.integrate(robot.neutral(), rand(nv, 1) - 0.5);
  v = rand(nv, 1) - 0.5;
  tau = [zeros(6, 1); rand(12, 1)];
  d = robot.dynamics(q, v, tau);
  assert(norm(d.M * d.acceleration + d.h - tau) < 1e-10 * norm(d.h));
  assert(norm(d.M - d.M') < 1e-12 * norm(d.M) && abs(d.kinetic_energy - v' * d.M * v / 2) < 1e-12);
  x = robot.linearize(q, v, tau);
  assert(isequal(size(x.A), [36 36]) && isequal(size(x.B), [36 12]) && isequal(x.input_names, s.input_names));
  assert(norm(x.acceleration - d.acceleration) < 1e-9 * norm(d.acceleration));
  all_inputs = robot.linearize(q, v, tau, 'all');
  assert(norm(all_inputs.B(19:36, :) * d.M - eye(18)) < 1e-9 && isequal(all_inputs.B(:, 7:18), x.B));
  h = 1e-3;
  for i = [2 5 9 18]
    z = zeros(nv, 1);
    z(i) = h;
    column = (8 * (a_of(robot, q, v, tau, z) - a_of(robot, q, v, tau, -z)) ...
              - (a_of(robot, q, v, tau, 2 * z) - a_of(robot, q, v, tau, -2 * z))) / (12 * h);
    assert(norm(column - x.A(19:36, i)) < 1e-7 * (1 + norm(x.A(19:36, i))));
  end

  % a frame: J v is its twist, and column-major is right
  f = robot.jacobian('fl_foot', q, v);
  assert(norm(f.J * v - f.twist) < 1e-13 && isequal(f.pose(4, :), [0 0 0 1]));
  assert(norm(f.pose(1:3, 1:3)' * f.pose(1:3, 1:3) - eye(3)) < 1e-14);
  mixed = robot.jacobian('fl_foot', q, v, 'mixed');
  assert(norm(blkdiag(f.pose(1:3, 1:3), f.pose(1:3, 1:3)) * f.twist - mixed.twist) < 1e-13);

  % many states: columns, with one that is broken
  Q = [q, robot.neutral(), q];
  V = [v, zeros(nv, 1), v];
  Q(8, 3) = NaN;
  many = robot.linearize(Q, V, [tau, tau, tau]);
  assert(isequal(size(many.A), [36 36 3]) && many.status(1) == 0 && many.status(3) ~= 0);
  assert(norm(many.A(:, :, 1) - x.A) < 1e-9 * norm(x.A) && all(isnan(many.acceleration(:, 3))));

  % a motion without gravity's friction keeps its energy
  m = robot.simulate(q, v, [], 0.1, 0.05);
  assert(isequal(size(m.position), [19 3]) && m.time(3) == 0.1 && isequal(m.position(:, 1), q));

  % a regulator and an equilibrium of an arm
  arm = hamel.load(fullfile(root, 'robots', 'arm7.json'));
  qa = arm.integrate(arm.neutral(), 0.2 * ones(arm.nv, 1));
  da = arm.dynamics(qa, zeros(arm.nv, 1));
  g = arm.lqr(qa, zeros(arm.nv, 1), da.h);
  xa = arm.linearize(qa, zeros(arm.nv, 1), da.h);
  assert(all(real(g.poles) < 0) && g.residual < 1e-12);
  riccati = xa.A' * g.P + g.P * xa.A - g.K' * g.K + eye(2 * arm.nv);
  assert(norm(riccati) < 1e-9 * norm(g.P) && norm(g.K - xa.B' * g.P) < 1e-9 * norm(g.K));
  closed = sort(real(eig(xa.A - xa.B * g.K)));
  assert(norm(closed - sort(real(g.poles))) < 1e-6 * norm(closed));
  t = arm.trim(qa);
  rest = arm.dynamics(t.position, zeros(arm.nv, 1), t.torque);
  assert(norm(rest.acceleration) < 1e-6 && norm(t.residual) < 1e-6);
  stand = robot.trim(robot.neutral(), {'fl_foot', 'fr_foot', 'hl_foot', 'hr_foot'});
  assert(numel(stand.force) == 12 && abs(sum(stand.force(3:3:12)) - 9.81 * s.mass) < 1e-6 * s.mass);

  % wrong arguments are errors with identifiers, never a crash
  fails('hamel:CANNOT_READ', @() hamel.load('nowhere.urdf'));
  fails('hamel:BAD_FILE', @() hamel.load('{"bodies": 3}'));
  fails('hamel:INVALID_ARGUMENT', @() hamel.load(fullfile(root, 'robots', 'arm7.json'), 'loose'));
  fails('hamel:INVALID_ARGUMENT', @() robot.linearize(q(1:5), v));
  fails('hamel:INVALID_ARGUMENT', @() robot.linearize(single(q), v));
  fails('hamel:INVALID_ARGUMENT', @() robot.linearize(q + 1i, v));
  fails('hamel:INVALID_ARGUMENT', @() robot.linearize(q, v, [], 'some'));
  fails('hamel:INVALID_ARGUMENT', @() robot.linearize(q, v, [], 'all', 'hybrid'));
  fails('hamel:NOT_FINITE', @() robot.dynamics(NaN * q, v));
  fails('hamel:NOT_FOUND', @() robot.jacobian('no such frame', q));
  fails('hamel:NOT_STABILIZABLE', @() robot.lqr(robot.neutral(), zeros(nv, 1)));
  fails('hamel:INVALID_ARGUMENT', @() robot.simulate(q, v, [], -1));
  fails('hamel:INVALID_ARGUMENT', @() robot.trim(q, 'fl_foot'));
  fails('hamel:INVALID_ARGUMENT', @() hamel_mex('info', 7));
  fails('hamel:INVALID_ARGUMENT', @() hamel_mex('info', 1e300));
  fails('hamel:INVALID_ARGUMENT', @() hamel_mex('info', -1));
  fails('hamel:INVALID_ARGUMENT', @() hamel_mex());

  % a robot that was freed is gone, and its place can be taken again
  number = hamel_mex('load', fullfile(root, 'robots', 'arm7.json'), '');
  hamel_mex('free', number);
  fails('hamel:INVALID_ARGUMENT', @() hamel_mex('info', number));
  for k = 1:3000
    again = hamel.load(fullfile(root, 'robots', 'pendulum.json'));
  end
  assert(again.nv == 1);

  % the paper's table, on fewer samples: the errors are those of differences
  [e_max, e_avg] = validate_paper(fullfile(root, 'robots', 'nine.json'), 10);
  assert(all(e_max < 1e-3) && all(e_avg < 1e-5) && all(e_avg > 1e-10));
  [~, gap] = lqr_arm(fullfile(root, 'robots', 'arm7.json'), '');
  assert(gap < 0.1);
  % a quadruped on its feet: the Riccati equation of the motions that they leave, and its picture where one can be drawn
  picture = '';
  if can_draw(), picture = [tempname(), '.svg']; end
  [g, gap] = lqr_quadruped(fullfile(root, 'robots', 'quadruped.json'), picture);
  assert(gap < 0.1 && all(real(g.poles) < 0) && isequal(size(g.K), [12 36]) && isequal(size(g.A), [12 12]));
  T = blkdiag(g.basis, g.basis);
  riccati = g.A' * g.P + g.P * g.A - g.P * g.B * g.B' * g.P / 0.01 + 10 * (T' * T);
  assert(norm(riccati) < 1e-9 * norm(10 * (T' * T)) * max(1, norm(g.P)));
  closed = sort(real(eig(g.A - g.B * g.K * T)));
  assert(norm(closed - sort(real(g.poles))) < 1e-6 * norm(closed));
  fails('hamel:INVALID_ARGUMENT', @() robot.lqr(robot.neutral(), zeros(nv, 1), [], 1, 1, 'fl_foot'));
  if ~isempty(picture)
    assert(exist(picture, 'file') == 2);
    delete(picture);
  end
  fprintf('1 passed, 0 failed\n');
end

function yes = can_draw()
  % a graphics toolkit alone is not enough: without fonts it fails
  try
    f = figure('visible', 'off');
    plot(1:2);
    close(f);
    yes = true;
  catch
    yes = false;
  end
end

function a = a_of(robot, q, v, tau, z)
  d = robot.dynamics(robot.integrate(q, z), v, tau);
  a = d.acceleration;
end

function fails(identifier, f)
  try
    f();
  catch e
    if ~strcmp(e.identifier, identifier) || isempty(e.message)
      error('%s, not %s: %s', e.identifier, identifier, e.message);
    end
    return
  end
  error('%s should have failed with %s', func2str(f), identifier);
end
