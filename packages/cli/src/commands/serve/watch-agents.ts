// `serve --watch`: reports the result of loading an agent file that was just saved. The file takes effect in any case.
import { statSync } from 'node:fs'
import { formatProblem, type Logger } from '@quarterdeck/engine'
import type { Runtime } from '@quarterdeck/server'
import { idleHookWarnings } from '../../notices/idle-hook-warnings.ts'

interface WatchedAgents {
  readonly agents: Pick<Runtime['agents'], 'loaded'>
  readonly logger: Logger
  readonly cwd: string
  readonly checkEveryMs?: number
}

type Loaded = Awaited<ReturnType<Runtime['agents']['loaded']>>[number]

/** Resolves when the current state of the files is known. */
export async function watchAgents({ agents, logger, cwd, checkEveryMs = 500 }: WatchedAgents) {
  let known = stamped(await agents.loaded())
  let seen = ''
  let isChecking = false

  function report({ name, problems, ...loaded }: Loaded): void {
    const [first, ...more] = problems.filter(({ severity }) => severity === 'error')
    const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
    if (first === undefined) logger.info({}, `reloaded ${name}`)
    else logger.warn({}, `${name} cannot start: ${formatProblem(first, cwd)}${rest}`)
    for (const sentence of idleHookWarnings([{ name, problems, ...loaded }], cwd)) logger.warn({}, sentence)
  }

  async function check(): Promise<void> {
    const now = [...known.values()].map(({ files }) => stampOf(files)).join()
    const isResting = now === seen
    seen = now
    // Waits until writing has finished: a half-written file would be reported as broken.
    if (!isResting || [...known.values()].every(({ files, stamp }) => stampOf(files) === stamp)) return
    const loaded = await agents.loaded()
    const before = known
    known = stamped(loaded)
    for (const one of loaded) if (before.get(one.file)?.stamp !== known.get(one.file)?.stamp) report(one)
  }

  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    check()
      .catch((error: unknown) => logger.warn({ error }, 'the agent files cannot be read'))
      .finally(() => {
        isChecking = false
      })
  }, checkEveryMs)
  return { stop: () => clearInterval(timer) }
}

const stamped = (loaded: readonly Loaded[]) =>
  new Map(loaded.map(({ file, dependencies: files }) => [file, { files, stamp: stampOf(files) }]))

function stampOf(files: readonly string[]): string {
  return files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? '-').join(' ')
}
