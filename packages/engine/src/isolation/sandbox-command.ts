// The command line that runs a process with its own view of the files. The mounts are made inside its own mount
// namespace, before it starts and before it loses the right to undo them.
import { assertNever } from '@quarterdeck/protocol'
import { type FileView, type MountPlan, type MountPoint, planMounts } from './mount-plan.ts'
import { realPath } from './real-path.ts'
import type { SystemTools } from './system-tools.ts'

/** The restrictions that this machine supports, as measured. */
export interface Isolation {
  /** The process tree dies with the process, and the process with the server. */
  readonly pidNamespace: boolean
  /** The process sees only its own processes, and so not the environment of the server. */
  readonly ownProc: boolean
  /**
   * The process cannot read the access token, the database or other sessions' files, and writes only to its own
   * folders.
   */
  readonly hidesFiles: boolean
  /** Kernel settings below /proc are read-only: root could change them without further rights. */
  readonly guardsMachine: boolean
  /** What is missing and its consequence, in one sentence; `null` if nothing is. */
  readonly why: string | null
  /** Put before the command; empty if the machine supports none. */
  readonly prefix: readonly string[]
  /** Put between the mounts and the command: drops the right to undo the mounts. */
  readonly dropRights: readonly string[]
}

// A folder that stays visible is bound to /dev/.aside while mounts cover its path, and then moved back to its path.
// The handle on the old /dev is closed and the working directory is entered again at the end, because both would still
// reach the files below the mounts. Variables that the shell adds to the environment are removed.
// `freeze` makes each mount read-only by itself, because a mount does not inherit this from its parent. It repeats the
// flags of the mount, because an ordinary user may not remove them.
const script = `set -eu
mount=$1 mkdir=$2 ln=$3 stat=$4; shift 4
aside=/dev/.aside
exec 4</dev
"$mount" -n -t tmpfs -o size=64k,mode=755 none /dev
for one in null zero full random urandom tty; do
  [ ! -e "/proc/self/fd/4/$one" ] || {
    : > "/dev/$one"; "$mount" -n --no-canonicalize --bind "/proc/self/fd/4/$one" "/dev/$one"
  }
done
exec 4<&-
"$mkdir" /dev/pts /dev/shm "$aside"
"$mount" -n -t devpts -o newinstance,ptmxmode=666,mode=620 none /dev/pts
"$mount" -n -t tmpfs -o nosuid,nodev,mode=1777 none /dev/shm
"$ln" -s pts/ptmx /dev/ptmx; "$ln" -s /proc/self/fd /dev/fd
"$ln" -s fd/0 /dev/stdin; "$ln" -s fd/1 /dev/stdout; "$ln" -s fd/2 /dev/stderr
: > "$aside/empty"
while [ "$1" != run ]; do
  case "$1" in
    keep)
      "$mkdir" "$aside/$2"; "$mount" -n --rbind "$3" "$aside/$2"
      [ -z "$4" ] || [ "$("$stat" -c %d:%i "$aside/$2")" = "$4" ] || {
        echo "$3 was replaced while this process started" >&2; exit 1
      }
      shift 4 ;;
    freeze)
      while read -r id parent device root point options rest; do
        case "$point" in /proc|/proc/*|/dev|/dev/*) continue ;; *\\\\*) point=$(printf "$point") ;; esac
        case "$options" in rw|rw,*) ;; *) continue ;; esac
        flags=
        for one in nosuid nodev noexec noatime nodiratime relatime; do
          case ",$options," in *",$one,"*) flags=$flags,$one ;; esac
        done
        case "$flags" in *noatime*|*relatime*) ;; *) flags=$flags,strictatime ;; esac
        "$mount" -n -o "remount,bind,ro$flags" "$point" || [ ! -e "$point" ]
      done < /proc/self/mountinfo
      shift ;;
    move) [ -d "$3" ] || "$mkdir" -p "$3"; "$mount" -n --move "$aside/$2" "$3"; shift 3 ;;
    hide) [ -d "$2" ] || "$mkdir" -p "$2"; "$mount" -n -t tmpfs -o size=64k,mode=755 none "$2"; shift 2 ;;
    empty)
      [ ! -e "$2" ] || { "$mount" -n --bind "$aside/empty" "$2"; "$mount" -n -o remount,bind,ro "$2"; }; shift 2 ;;
    pin) [ -d "$2" ] || "$mkdir" -p "$2"; "$mount" -n --rbind "$2" "$2"; shift 2 ;;
    lock)
      [ ! -e "$2" ] || { "$mount" -n --rbind "$2" "$2"; "$mount" -n -o remount,bind,ro "$2"; }; shift 2 ;;
    seal) "$mount" -n -o remount,ro "$2"; shift 2 ;;
    enter) cd "$2"; shift 2 ;;
  esac
done
shift
"$mount" -n -o remount,ro /dev
unset PWD OLDPWD
exec "$@"`

export function sandboxCommand(
  command: readonly string[],
  { isolation, tools, view }: { readonly isolation: Isolation; readonly tools: SystemTools; readonly view: FileView },
): readonly string[] {
  const { shell, mount, mkdir, ln, stat } = tools
  const plain = [...isolation.prefix, ...command]
  if (!isolation.hidesFiles || shell === null || mount === null) return plain
  if (mkdir === null || ln === null || stat === null) return plain
  const guards = isolation.guardsMachine ? kernelFolders.flatMap((folder) => ['lock', folder]) : []
  const steps = ['enter', '/', ...mountSteps(planMounts(view)), ...guards, 'enter', realPath(view.cwd), 'run']
  const start = [...isolation.prefix, shell, '-c', script, shell, mount, mkdir, ln, stat]
  return [...start, ...steps, ...isolation.dropRights, ...command]
}

/** Root needs no further rights to change the kernel through these. */
const kernelFolders = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi'].map((name) => `/proc/${name}`)

function mountSteps({ writable, visible, mountPoints }: MountPlan): readonly string[] {
  const setAside = [...writable, ...visible]
  const setAsideSteps = (some: readonly MountPoint[]) =>
    some.flatMap((mountPoint) => [
      'keep',
      String(setAside.indexOf(mountPoint)),
      ...(mountPoint.kind === 'writable' ? [mountPoint.source, mountPoint.inode] : [mountPoint.path, '']),
    ])
  const mounts = mountPoints.flatMap((mountPoint) => {
    switch (mountPoint.kind) {
      case 'writable':
      case 'visible':
        return ['move', String(setAside.indexOf(mountPoint)), mountPoint.path]
      case 'hiddenFolder':
        return ['hide', mountPoint.path]
      case 'hiddenFile':
        return ['empty', mountPoint.path]
      case 'locked':
        return ['lock', mountPoint.path]
      case 'pinned':
        return ['pin', mountPoint.path]
      default:
        return assertNever(mountPoint)
    }
  })
  const seals = mountPoints.flatMap(({ kind, path }) => (kind === 'hiddenFolder' ? ['seal', path] : []))
  return [...setAsideSteps(writable), 'freeze', ...setAsideSteps(visible), ...mounts, ...seals]
}
