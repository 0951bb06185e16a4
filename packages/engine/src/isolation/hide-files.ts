// The command line that runs the CLI with folders and files out of its sight. The mounts are made inside its own mount
// namespace, before it starts and before the right to undo them is taken away.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import type { SystemTools } from './system-tools.ts'

/** What holds for every agent process started here. */
export interface Isolation {
  /** Its whole tree dies with it, and it with the server. */
  readonly pidNamespace: boolean
  /** It sees no process but its own: not the server's environment either. */
  readonly ownProc: boolean
  /** The access token, the database and other sessions' files are out of its reach. */
  readonly hidesFiles: boolean
  /** Root needs no rights of its own to read disks and to change the kernel: devices, /proc/sys and /sys are kept from it. */
  readonly guardsMachine: boolean
  /** What is missing and what it means, in a sentence; `null` when nothing is. */
  readonly why: string | null
  /** Put before the command; empty where the system offers nothing. */
  readonly prefix: readonly string[]
  /** Between the mounts and the command: takes back the right to undo them. */
  readonly dropRights: readonly string[]
}

export interface Sight {
  /** Folders become empty, files become /dev/null. What does not exist is skipped. */
  readonly hidden: readonly string[]
  /** Folders below a hidden one that stay visible. */
  readonly kept: readonly string[]
  readonly cwd: string
}

// A kept folder is held open while an empty one is mounted over its parent, and then bound back from that handle. The
// handles are closed and the working directory is entered again at the end: either would still lead behind the mount.
// What the shell itself adds to the environment is taken out of it.
// `below` makes every mount of a tree read-only one by one: they are mounts of their own, and none follows the topmost.
const script = `set -eu
mount=$1 mkdir=$2 ln=$3; shift 3
while [ "$1" != run ]; do
  case "$1" in
    file) "$mount" --bind /dev/null "$2"; shift 2 ;;
    hold) eval "exec $2<\\"\\$3\\""; shift 3 ;;
    hide) "$mount" -t tmpfs -o size=64k,mode=755 none "$2"; shift 2 ;;
    back) "$mkdir" -p "$3"; "$mount" --no-canonicalize --bind "/proc/self/fd/$2" "$3"; eval "exec $2<&-"; shift 3 ;;
    seal) "$mount" -o remount,ro "$2"; shift 2 ;;
    devices)
      "$mount" -t tmpfs -o size=64k,mode=755 none "$2"
      for one in null zero full random urandom tty; do
        [ ! -e "/dev/$one" ] || { : > "$2/$one"; "$mount" --bind "/dev/$one" "$2/$one"; }
      done
      "$mkdir" "$2/pts" "$2/shm"
      "$mount" -t devpts -o newinstance,ptmxmode=666,mode=620 none "$2/pts"
      [ ! -d /dev/shm ] || "$mount" --rbind /dev/shm "$2/shm"
      "$ln" -s pts/ptmx "$2/ptmx"; "$ln" -s /proc/self/fd "$2/fd"
      "$ln" -s fd/0 "$2/stdin"; "$ln" -s fd/1 "$2/stdout"; "$ln" -s fd/2 "$2/stderr"
      "$mount" --move "$2" /dev; "$mount" -o remount,bind,ro /dev; shift 2 ;;
    lock)
      [ ! -e "$2" ] || { "$mount" --bind "$2" "$2"; "$mount" -o remount,bind,ro "$2"; }; shift 2 ;;
    below)
      while read -r from path rest; do
        case "$path" in "$2"|"$2"/*) "$mount" -o remount,bind,ro "$path" ;; esac
      done < /proc/self/mounts; shift 2 ;;
    enter) cd "$2"; shift 2 ;;
  esac
done
shift
unset PWD OLDPWD
exec "$@"`

export function shutIn(
  command: readonly string[],
  { isolation, tools, sight }: { readonly isolation: Isolation; readonly tools: SystemTools; readonly sight: Sight },
): readonly string[] {
  const { shell, mount, mkdir, ln } = tools
  const plain = [...isolation.prefix, ...command]
  if (!isolation.hidesFiles || shell === null || mount === null || mkdir === null || ln === null) return plain
  const guards = isolation.guardsMachine ? guardingSteps : []
  const steps = ['enter', '/', ...hidingSteps(sight), ...guards, 'enter', sight.cwd, 'run']
  const start = [...isolation.prefix, shell, '-c', script, shell, mount, mkdir, ln]
  return [...start, ...steps, ...isolation.dropRights, ...command]
}

/** A /dev without disks, and no word to the kernel. The folder of `devices` is only where the new /dev is put together. */
const guardingSteps = [
  ...['devices', '/tmp'],
  ...['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi'].flatMap((name) => ['lock', `/proc/${name}`]),
  ...['below', '/sys'],
]

function hidingSteps({ hidden, kept, cwd }: Sight): readonly string[] {
  const visible = [...kept, cwd].map(realPath)
  const paths = [...new Set(hidden.filter(existsSync).map(realPath))]
  // Hiding the very folder the agent works in would leave it nothing.
  const folders = paths.filter((path) => statSync(path).isDirectory() && !visible.includes(path))
  const files = paths.filter((path) => !statSync(path).isDirectory())
  const isLeft = (path: string) =>
    folders.every(
      (folder) => !isInside(folder, path) || visible.some((one) => isInside(folder, one) && isInside(one, path)),
    )
  const emptied = folders.filter(isLeft).flatMap((path) => {
    const inside = withHandles(outermost(visible.filter((one) => isInside(path, one))))
    return [
      ...inside.flatMap(([handle, one]) => ['hold', handle, one]),
      ...['hide', path],
      ...inside.flatMap(([handle, one]) => ['back', handle, one]),
      ...['seal', path],
    ]
  })
  // After the folders: what is brought back comes without the mounts in it, and on what has gone nothing can be mounted.
  return [...emptied, ...files.filter(isLeft).flatMap((file) => ['file', file])]
}

/** Mounts lie on what a path leads to. One that leads nowhere stays as it is written. */
export const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/** Folders inside one another count once. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(other, path)))

/** Single-digit handles are what every shell has. */
const firstHandle = 3
const mostHandles = 9 - firstHandle + 1

function withHandles(folders: readonly string[]): readonly (readonly [handle: string, folder: string])[] {
  if (folders.length > mostHandles) {
    throw new Error(`at most ${mostHandles} folders inside a hidden one can stay visible, not ${folders.length}`)
  }
  return folders.map((folder, index) => [String(firstHandle + index), folder])
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
