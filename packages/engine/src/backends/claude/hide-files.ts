// The command line that runs the CLI with folders and files out of its sight. The mounts are made inside its own mount
// namespace, before it starts and before the right to undo them is taken away.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import type { Isolation, SystemTools } from './isolation.ts'

export interface Sight {
  /** Folders become empty, files become /dev/null. What does not exist is skipped. */
  readonly hidden: readonly string[]
  /** Folders below a hidden one that stay visible. */
  readonly kept: readonly string[]
  readonly cwd: string
}

// A kept folder is held open while an empty one is mounted over its parent, and then bound back from that handle. The
// handles are closed and the working directory is entered again at the end: either would still lead behind the mount.
const script = `set -eu
mount=$1 mkdir=$2; shift 2
while [ "$1" != run ]; do
  case "$1" in
    file) "$mount" --bind /dev/null "$2"; shift 2 ;;
    hold) eval "exec $2<\\"\\$3\\""; shift 3 ;;
    hide) "$mount" -t tmpfs -o size=64k,mode=755 none "$2"; shift 2 ;;
    back) "$mkdir" -p "$3"; "$mount" --no-canonicalize --bind "/proc/self/fd/$2" "$3"; eval "exec $2<&-"; shift 3 ;;
    seal) "$mount" -o remount,ro "$2"; shift 2 ;;
    enter) cd "$2"; shift 2 ;;
  esac
done
shift
exec "$@"`

export function shutIn(
  command: readonly string[],
  { isolation, tools, sight }: { readonly isolation: Isolation; readonly tools: SystemTools; readonly sight: Sight },
): readonly string[] {
  const { shell, mount, mkdir } = tools
  const plain = [...isolation.prefix, ...command]
  if (!isolation.hidesFiles || shell === null || mount === null || mkdir === null) return plain
  const steps = ['enter', '/', ...hidingSteps(sight), 'enter', sight.cwd, 'run']
  return [...isolation.prefix, shell, '-c', script, shell, mount, mkdir, ...steps, ...isolation.dropRights, ...command]
}

function hidingSteps({ hidden, kept, cwd }: Sight): readonly string[] {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path)
  const visible = outermost([...kept, cwd].map(real))
  return hidden
    .filter(existsSync)
    .map(real)
    .flatMap((path) => {
      if (!statSync(path).isDirectory()) return ['file', path]
      // Hiding the very folder the agent works in would leave it nothing.
      if (visible.includes(path)) return []
      const inside = visible.filter((one) => isInside(path, one)).map((one, index) => [String(index + 3), one] as const)
      return [
        ...inside.flatMap(([handle, one]) => ['hold', handle, one]),
        ...['hide', path],
        ...inside.flatMap(([handle, one]) => ['back', handle, one]),
        ...['seal', path],
      ]
    })
}

/** Single-digit handles are what every shell has; folders inside one another count once. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(other, path))).slice(0, 6)

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
