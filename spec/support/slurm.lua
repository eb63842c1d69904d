-- A cluster of Slurm on this machine: a controller and two nodes. The cluster has its own process ids and mounts, and
-- its own network, which has no interface but loopback. All its processes end at `stop`, or when this process ends.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local slurm = {}

-- Tasks are requeued only if the job asks for it (JobRequeue=0). A lost node is down after SlurmdTimeout and some 20 s
-- more; its tasks start again when their credentials have expired (cred_expire).
local configuration <const> = [[
ClusterName=spec
SlurmctldHost=head
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge/socket,cred_expire=5
CredType=cred/munge
SlurmctldPidFile=DIR/controller.pid
SlurmdPidFile=DIR/%n.pid
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool/%n
SlurmctldLogFile=DIR/log/controller
SlurmdLogFile=DIR/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
SchedulerParameters=sched_min_interval=0,sched_interval=2,batch_sched_delay=0,bf_interval=2
JobRequeue=0
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=3
InactiveLimit=0
KillWait=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=head NodeAddr=head Port=26821 CPUs=2 RealMemory=8000
NodeName=n2 NodeHostname=head NodeAddr=head Port=26822 CPUs=2 RealMemory=8000
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
]]

-- The first process of the cluster, in its directory. It reads commands that start daemons: processes that this process
-- starts later inherit the pipe of the commands, and daemons would keep it open.
-- - At first, /proc is the machine's, so the process finds out its id outside the cluster.
-- - The resolver finds nothing on a machine whose only address is 127.0.0.1.
local init <const> = [[
read -r pid _ </proc/self/stat
mount -t proc proc /proc
ip link set lo up
ip address add 192.0.2.1/32 dev lo
hostname head
echo '192.0.2.1 head' >hosts
mount --bind hosts /etc/hosts
mkdir full local log munge spool state
mount -t tmpfs -o size=64k full full
chmod 755 munge
(umask 077; head -c 1024 /dev/urandom >munge/key)
munged --force --key-file="$PWD/munge/key" --socket="$PWD/munge/socket" --log-file="$PWD/log/munge" \
  --pid-file="$PWD/munge/pid" --seed-file="$PWD/munge/seed"
export SLURM_CONF="$PWD/slurm.conf"
start_controller() {
  slurmctld </dev/null >>log/controller.out 2>&1
}
start_node() {
  setsid unshare --pid --fork --kill-child --mount-proc \
    sh -c 'mount -t tmpfs -o size=1m local local && mkdir local/prof && exec slurmd -D -N "$0"' "$1" \
    </dev/null >>"log/$1.out" 2>&1 &
  echo $! >"$1.unshare"
}
echo "$pid" >pid
while read -r command; do $command; done
]]

local commands <const> = { "unshare", "nsenter", "setpriv", "ip", "munged", "slurmctld", "slurmd", "sbatch", "srun" }

--- Returns a message if a cluster cannot be started here; otherwise nil.
-- @treturn string|nil
function slurm.lack()
  for _, command in ipairs(commands) do
    if not shell.installed(command) then return "needs " .. command end
  end
  local namespace = { "unshare", "--net", "--pid", "--mount", "--fork", "mount", "-t", "tmpfs", "none", "/mnt" }
  if shell.run(namespace).status ~= 0 then return "needs root" end
end

local methods <const> = {}

-- Passes a command to the first process.
local function command(self, line)
  assert(self.input:write(line, "\n"))
  assert(self.input:flush())
end

--- Runs a command on the head node of the cluster.
-- @tparam {string,...} argv as for `shell.run`
-- @tparam[opt] table options `cwd` (default: the directory of the cluster) and `env`, as for `shell.run`
-- @treturn table as `shell.run` returns it
function methods:run(argv, options)
  options = options or {}
  local env = { SLURM_CONF = self.dir .. "/slurm.conf" }
  for name, value in pairs(options.env or {}) do env[name] = value end
  return shell.run({ "nsenter", "--target", self.pid, "--mount", "--net", "--pid", "--uts", "--ipc", "--",
    "env", "--chdir=" .. (options.cwd or self.dir), table.unpack(argv) },
    { env = env, timeout = true })
end

--- Waits until a command of the shell succeeds; raises an error with the logs if it never does.
-- @tparam string condition runs in the directory of the cluster
function methods:await(condition)
  local waited = self:run { "sh", "-c", shell.await(condition) }
  if waited.status ~= 0 then
    local logs = self:run { "sh", "-c", "squeue; sinfo; tail -n 20 log/*" }
    error(("not reached: %s\n%s%s"):format(condition, waited.stderr, logs.stdout), 2)
  end
end

--- Waits until all jobs have ended.
function methods:await_jobs()
  self:await 'jobs=$(squeue -h) && [ -z "$jobs" ]'
end

function methods:start_controller()
  command(self, "start_controller")
  self:await("scontrol ping | grep -q UP")
end

function methods:kill_controller()
  assert(self:run({ "sh", "-c", "kill -KILL $(cat controller.pid)" }).status == 0)
end

--- Waits until jobs can run on a node.
function methods:await_node(name)
  self:await(('[ -n "$(sinfo -h -r -n %s -t idle,mixed,alloc -o %%n)" ]'):format(name))
end

function methods:start_node(name)
  command(self, "start_node " .. name)
  self:await_node(name)
end

--- Kills all processes of a node at once.
function methods:kill_node(name)
  assert(self:run({ "sh", "-c", "kill -KILL $(cat $1.unshare)", "sh", name }).status == 0)
end

--- Ends all processes of the cluster.
function methods:stop()
  self.input:close()
end

--- Starts a cluster.
-- @treturn table with the methods above; `dir`, its directory, where `full` is a file system of 64 kB, and
--   `local` another one of 1 MB, of each node
function slurm.start()
  local self = setmetatable({ dir = shell.tmpdir "slurm" }, { __index = methods })
  shell.write(self.dir .. "/slurm.conf", (configuration:gsub("DIR", self.dir)))
  shell.write(self.dir .. "/init", init)
  self.input = assert(io.popen(("cd %s && exec setpriv --pdeathsig KILL unshare --net --pid --uts --ipc --mount " ..
    "--fork --kill-child sh -e init >init.out 2>&1"):format(shell.quote(self.dir)), "w"))
  local started = shell.run({ "sh", "-c", shell.await "[ -s pid ]" }, { cwd = self.dir, timeout = true })
  assert(started.status == 0, "the cluster did not start:\n" .. shell.read(self.dir .. "/init.out"))
  self.pid = shell.read(self.dir .. "/pid"):match "%d+"
  self:start_controller()
  self:start_node "n1"
  self:start_node "n2"
  return self
end

return slurm
