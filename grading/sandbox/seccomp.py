"""The filter of system calls: compiled once by libseccomp on the trusted side, carried into each child as bytes.

Everything is allowed but what is named here. With namespaces the filter only takes the kernel's less walked paths away; without
them it also stands where Landlock does not look: sockets, signals, other processes of the same user, modes and owners of files.
"""

from __future__ import annotations

import errno
import functools
import socket
import tempfile

NEVER = (
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount"),
    *("fspick", "mount_setattr", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "bpf"),
    *("perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "add_key", "keyctl"),
    *("request_key", "name_to_handle_at", "open_by_handle_at", "init_module", "finit_module", "delete_module", "kexec_load"),
    *(
        "kexec_file_load",
        "reboot",
        "swapon",
        "swapoff",
        "syslog",
        "acct",
        "quotactl",
        "settimeofday",
        "clock_settime",
        "adjtimex",
    ),
    *("adjtimex", "memfd_create", "vhangup", "fanotify_init", "iopl", "ioperm"),
)
# Of one user's processes each may do these to any other.
NEVER_IN_SIGHT_OF_OTHERS = (
    *("socket", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semctl", "mq_open"),
    *("mq_unlink", "setpriority", "ioprio_set", "migrate_pages", "move_pages", "process_madvise", "process_mrelease"),
    *("truncate", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "mknod", "mknodat"),
    *("setsid", "setpgid"),  # all that a child starts stays in its group, which one signal ends
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups"),
)
# A first argument of 0 is the caller itself.
ONLY_ON_ITSELF = (
    "prlimit64",
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "sched_setattr",
)
SIGNALS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
# Done for nobody, and said to be done: copying a file sets its mode and times, and that need not fail.
PRETENDED = (
    *("chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat"),
)
# Younger than libseccomp 2.5: fchmodat2, setxattrat, removexattrat, open_tree_attr, file_setattr. Numbered alike everywhere.
YOUNG = (452, 463, 466, 467, 469)
_NAMESPACE_FLAGS = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


class NoFilter(Exception):
    """libseccomp is not installed, or does not know this machine."""


@functools.cache
def compiled(others_in_sight: bool, signals_scoped: bool = True) -> bytes:
    """The program for a child; `others_in_sight` where it has no process namespace of its own. Raises NoFilter.

    `signals_scoped` says that Landlock keeps signals within the child; else no signal can be sent at all.
    """
    try:
        import pyseccomp  # type: ignore[import-untyped]  # it has no stubs
    except (ImportError, RuntimeError) as error:
        raise NoFilter(f"libseccomp is missing ({error})") from error
    deny = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags lie in memory; the C library then uses clone
    for flag in _NAMESPACE_FLAGS:
        rules.add_rule(deny, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    for name in (*NEVER, *YOUNG):
        rules.add_rule(deny, name)
    if others_in_sight:
        for name in (*NEVER_IN_SIGHT_OF_OTHERS, *(() if signals_scoped else SIGNALS)):
            rules.add_rule(deny, name)
        for name in ONLY_ON_ITSELF:
            rules.add_rule(deny, name, pyseccomp.Arg(0, pyseccomp.NE, 0))
        # A datagram socket can be sent to any socket that has a path; a pair of streams only to each other.
        rules.add_rule(deny, "socketpair", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xF, socket.SOCK_DGRAM))
        for name in PRETENDED:
            rules.add_rule(pyseccomp.ERRNO(0), name)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
