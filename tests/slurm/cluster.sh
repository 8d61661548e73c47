#!/usr/bin/env bash
# Runs a command beside a real Slurm: one node, this machine, reachable on loopback only.
#
#     tests/slurm/cluster.sh COMMAND...
#
# Installs Debian's packages where they are missing, starts munged, slurmctld and slurmd with a configuration of
# their own, runs COMMAND, and stops and removes all of it again, however COMMAND ends; exits as COMMAND did. Needs
# root and Debian (or Ubuntu). No systemd, cgroups or accounting data base: memory limits are held by sampling.
set -euo pipefail

PACKAGES=(munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins)
SYSTEM_CONF=/etc/slurm/slurm.conf

fail() { echo "cluster.sh: $*" >&2; exit 1; }

# The Snakemake plugin drops SLURM_CONF inside jobs, so that Slurm's commands must find the file at its usual place.
check_machine() {
    (($# > 0)) || fail "no command given"
    ((EUID == 0)) || fail "needs root"
    remove_what_a_killed_run_left
    [[ ! -e $SYSTEM_CONF ]] || fail "$SYSTEM_CONF is there: this machine has a Slurm already, or another test is running"
}

remove_what_a_killed_run_left() {
    local old
    old=$(readlink "$SYSTEM_CONF") && [[ $old == /run/consclust-slurm.*/slurm.conf ]] || return 0
    old=${old%/slurm.conf}
    if [[ -s $old/slurmctld.pid ]] && kill -0 "$(<"$old/slurmctld.pid")" 2>/dev/null; then return 0; fi
    rm -rf "$SYSTEM_CONF" "$old"
}

all_installed() {
    local states
    states=$(dpkg-query --show --showformat='${db:Status-Status}\n' "${PACKAGES[@]}" 2>/dev/null) || return 1
    ! grep -qvx installed <<<"$states"
}

install_slurm() {
    ! all_installed || return 0
    command -v apt-get >/dev/null || fail "needs apt-get to install ${PACKAGES[*]}"
    {
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${PACKAGES[@]}"
    } &>"$STATE/apt.log" || { tail -n 20 "$STATE/apt.log" >&2; fail "installation failed"; }
}

write_configuration() {
    local host memory
    host=$(hostname -s)
    memory=$(awk '/^MemTotal:/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
    cat >"$STATE/slurm.conf" <<END
ClusterName=consclust
SlurmctldHost=$host(127.0.0.1)
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(env -u OMP_NUM_THREADS nproc) RealMemory=$memory
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE

# nothing listens on another address
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=26817
SlurmdPort=26818
SrunPortRange=26900-27200

# CPUs and memory are what is given out; a job over its memory is killed
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
KillWait=5

# without accounting, the state of a finished job is known as long as the controller remembers it
MinJobAge=86400
ReturnToService=2
# a query of a controller that is down fails after so many seconds
MessageTimeout=5

SlurmUser=root
AuthInfo=socket=$STATE/munge.socket
StateSaveLocation=$STATE/controller
SlurmdSpoolDir=$STATE/node
SlurmctldPidFile=$STATE/slurmctld.pid
SlurmdPidFile=$STATE/slurmd.pid
SlurmctldLogFile=$STATE/slurmctld.log
SlurmdLogFile=$STATE/slurmd.log
END
}

start() {
    mkdir "$STATE/controller" "$STATE/node"
    (umask 077 && head -c 128 /dev/urandom >"$STATE/munge.key")
    munged --force --key-file="$STATE/munge.key" --socket="$STATE/munge.socket" --pid-file="$STATE/munged.pid" \
        --log-file="$STATE/munged.log" --seed-file="$STATE/munge.seed" 2>"$STATE/munged.err"
    mkdir -p "${SYSTEM_CONF%/*}"
    ln -sfn "$STATE/slurm.conf" "$SYSTEM_CONF"
    slurmctld
    slurmd
    for _ in {1..100}; do
        [[ $(sinfo --noheader --format=%T 2>/dev/null) != idle ]] || return 0
        sleep 0.2
    done
    fail "the node does not become idle: $(tail -n 5 "$STATE"/slurm*.log)"
}

stop() {
    trap '' INT TERM
    if [[ -e $STATE/slurmctld.pid ]]; then
        scancel --user=root --quiet || true
        for _ in {1..75}; do
            [[ -n $(squeue --noheader 2>/dev/null) ]] || break
            sleep 0.2
        done
    fi
    for daemon in slurmd slurmctld munged; do
        stop_daemon "$STATE/$daemon.pid"
    done
    if [[ $(readlink "$SYSTEM_CONF") == "$STATE/slurm.conf" ]]; then rm "$SYSTEM_CONF"; fi
    rm -rf "$STATE"
}

stop_daemon() {
    [[ -s $1 ]] || return 0
    local pid
    pid=$(<"$1")
    kill "$pid" 2>/dev/null || return 0
    for _ in {1..50}; do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.2
    done
    kill -KILL "$pid" 2>/dev/null || true
}

main() {
    check_machine "$@"
    PATH=$PATH:/usr/sbin:/sbin
    STATE=$(mktemp -d /run/consclust-slurm.XXXXXX)
    chmod 755 "$STATE"
    trap stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    install_slurm
    write_configuration
    start
    SLURM_CONF=$STATE/slurm.conf CONSCLUST_TEST_SLURM=1 "$@"
}

main "$@"
