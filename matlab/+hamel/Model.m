classdef Model < handle
%HAMEL.MODEL  A robot: its equations of motion, and their exact linearization.
%
%   robot = hamel.load(file)                       makes one
%   robot.info()                                   name, sizes, names of joints, frames and coordinates
%   robot.neutral()                                the neutral configuration, nq x 1
%   robot.integrate(q, v)                          q moved by v on the robot's group
%   robot.linearize(q, v, tau)                     A, B, acceleration; many states as columns
%   robot.dynamics(q, v, tau)                      M, h, gravity, acceleration, energies, momentum
%   robot.jacobian(frame, q, v)                    pose, J, Jdot, twist
%   robot.simulate(q, v, tau, time, step)          time, position, velocity, energy
%   robot.lqr(q, v, tau, Q, R, held)               K, P, poles, residual
%   robot.trim(q, held)                            position, torque, force
%
%   States are columns: q is nq x 1, v and tau are nv x 1. tau may be []: no forces. Velocities are left-trivialized,
%   linear part first, quaternions w first. Errors have the identifier hamel:STATUS, such as hamel:NOT_FINITE.

  properties (SetAccess = private)
    nq   % numbers of a configuration
    nv   % numbers of a velocity
    name
  end

  properties (Access = private)
    number   % of the robot in the gateway
    cleanup  % frees it
  end

  methods
    function self = Model(file, base)
      number = hamel_mex('load', file, base);
      self.number = number;
      self.cleanup = onCleanup(@() hamel_mex('free', number));
      s = hamel_mex('info', number);
      self.nq = s.nq;
      self.nv = s.nv;
      self.name = s.name;
    end

    function s = info(self)
    %INFO  A struct: name, nq, nv, nbodies, mass, joints, frames, velocity_names, input_names.
      s = hamel_mex('info', self.number);
    end

    function q = neutral(self)
    %NEUTRAL  The neutral configuration, nq x 1.
      q = hamel_mex('neutral', self.number);
    end

    function q = integrate(self, q, v)
    %INTEGRATE  q moved by v: g exp(v), joint by joint. Columns are states.
      q = hamel_mex('integrate', self.number, q, v);
    end

    function s = linearize(self, q, v, tau, inputs, representation)
    %LINEARIZE  The exact linearization dz/dt = A z + B w.
    %
    %   s = robot.linearize(q, v)                          no forces
    %   s = robot.linearize(q, v, tau)
    %   s = robot.linearize(q, v, tau, 'all')              B for every coordinate; default 'actuated'
    %   s = robot.linearize(q, v, tau, 'actuated', 'mixed')
    %
    %   s.A is 2nv x 2nv, s.B is 2nv x inputs, s.acceleration is nv x 1; input_names are the columns of B. For many
    %   states, one per column, s.A is 2nv x 2nv x N, and s.status is 0 where a state succeeded: others are NaN.
      if nargin < 4, tau = []; end
      if nargin < 5, inputs = 'actuated'; end
      if nargin < 6, representation = 'left'; end
      s = hamel_mex('linearize', self.number, q, v, tau, hamel.Model.all(inputs), representation);
    end

    function s = dynamics(self, q, v, tau, representation)
    %DYNAMICS  M a + h = tau: M, h, gravity, acceleration, com, centroidal_momentum, kinetic_energy, potential_energy.
      if nargin < 4, tau = []; end
      if nargin < 5, representation = 'left'; end
      s = hamel_mex('dynamics', self.number, q, v, tau, representation);
    end

    function s = jacobian(self, frame, q, v, representation)
    %JACOBIAN  A frame, body or link: pose (4 x 4), J and Jdot (6 x nv), twist = J v.
      if nargin < 4, v = zeros(self.nv, 1); end
      if nargin < 5, representation = 'left'; end
      s = hamel_mex('jacobian', self.number, frame, q, v, representation);
    end

    function s = simulate(self, q, v, tau, time, step, integrator)
    %SIMULATE  The motion from a state: time (rows x 1), position (nq x rows), velocity (nv x rows), energy (rows x 1).
    %
    %   s = robot.simulate(q, v, [], 2)                    two seconds, a row per 0.01 s, errors controlled (dopri5)
    %   s = robot.simulate(q, v, tau, 2, 0.001, 'rk4')     with steps of 0.001 s
      if nargin < 6, step = 0.01; end
      if nargin < 7, integrator = 'dopri5'; end
      s = hamel_mex('simulate', self.number, q, v, tau, time, step, integrator);
    end

    function s = lqr(self, q, v, tau, Q, R, held)
    %LQR  The linear-quadratic regulator about a state: forces tau - K z. Q and R are numbers or matrices (default 1).
    %
    %   s = robot.lqr(q, v, tau, 1, 1, {'fl_foot', 'fr_foot', 'hl_foot', 'hr_foot'})    with feet that stay where they are
    %
    %   s.K is inputs x 2nv, s.P solves the Riccati equation, s.poles are those of s.A - s.B K, s.residual is relative.
    %   With held frames A, B, P and the poles are those of the motions z = s.basis y that the frames leave; K is still
    %   that of z, and Q weighs all coordinates. At rest the closed loop is s.A - s.B * s.K * blkdiag(s.basis, s.basis).
      if nargin < 4, tau = []; end
      if nargin < 5, Q = 1; end
      if nargin < 6, R = 1; end
      if nargin < 7, held = {}; end
      s = hamel_mex('lqr', self.number, q, v, tau, Q, R, held);
      s.poles = complex(s.poles(:, 1), s.poles(:, 2));
    end

    function s = trim(self, q, held, v, inputs)
    %TRIM  An equilibrium near q: position, torque, force of the held points (3 per frame), residual.
    %
    %   s = robot.trim(q, {'fl_foot', 'fr_foot', 'hl_foot', 'hr_foot'})
    %   s = robot.trim(q, {}, v, 'all')                    with velocity v, and a motor on every coordinate
      if nargin < 3, held = {}; end
      if nargin < 4, v = []; end
      if nargin < 5, inputs = 'actuated'; end
      s = hamel_mex('trim', self.number, q, v, held, hamel.Model.all(inputs));
    end
  end

  methods (Static, Access = private)
    function yes = all(inputs)
      if ~any(strcmp(inputs, {'actuated', 'all'}))
        error('hamel:INVALID_ARGUMENT', 'inputs are ''actuated'' or ''all''');
      end
      yes = double(strcmp(inputs, 'all'));
    end
  end
end
