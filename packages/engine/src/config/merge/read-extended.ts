// Resolves `extends`. The nearer file wins: maps merge, lists replace, `null` clears.
import { isRecord } from '@quarterdeck/protocol'
import type { ConfigProblem } from '../problems/problem.ts'
import { type Path, valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from '../yaml/config-source.ts'
import { isInsideProject, resolvePath } from '../yaml/project-path.ts'
import { missingInsertions, overlay } from './overlay.ts'

const maxDepth = 10

interface Extended {
  readonly source: ConfigSource
  readonly problems: readonly ConfigProblem[]
  /** Every extended file, including missing ones. */
  readonly files: readonly string[]
  /** Whether an extended file is unusable, so keys that seem missing may have been defined there. */
  readonly isIncomplete: boolean
}

export async function readExtended(source: ConfigSource, options: ReadSourceOptions): Promise<Extended> {
  const problems: ConfigProblem[] = []
  const files: string[] = []
  let isIncomplete = false
  const whole = await extend(source, [source.file])
  return { source: whole, problems, files, isIncomplete }

  async function extend(near: ConfigSource, chain: readonly string[]): Promise<ConfigSource> {
    let merged = near
    // The last file wins: it is inserted first, and later insertions do not replace its keys.
    for (const { written, path } of namesIn(near).reverse()) {
      const far = await readBase(merged, { written, path, chain })
      if (far === null) continue
      const insertions = missingInsertions(merged.value, far, { path: [], at: [] })
      merged = overlay(
        merged,
        insertions.filter(({ path: [key] }) => key !== 'extends'),
      )
    }
    return merged
  }

  async function readBase(near: ConfigSource, base: Named & { readonly chain: readonly string[] }) {
    const { written, path, chain } = base
    const refuse = (code: 'config.invalid' | 'config.unreadable' | 'config.outside-project', message: string): null => {
      isIncomplete = true
      near.report({ severity: 'error', code, path, part: 'value', message })
      return null
    }
    const shown = asWritten(near, path, written)
    const file = await resolvePath(written, near.file)
    const isAllowed =
      valueAt(near.value, ['allow_outside']) === true || (await isInsideProject(file, near.projectFolder))
    if (!isAllowed) {
      const message = '"extends" leaves the project folder: move the file inside, or set allow_outside: true'
      return refuse('config.outside-project', message)
    }
    if (chain.includes(file)) return refuse('config.invalid', `"extends": ${shown} extends itself`)
    if (chain.length > maxDepth) return refuse('config.invalid', `"extends": more than ${maxDepth} levels deep`)
    files.push(file)
    const far = await readSource(file, options)
    if (far === null) return refuse('config.unreadable', `"extends": cannot use ${shown}: there is no such file`)
    const unreadable = far.problems.find((problem) => problem.code === 'config.unreadable' && problem.path === '')
    if (unreadable !== undefined) {
      const why = unreadable.message.replace(/^cannot be read: /, '')
      return refuse('config.unreadable', `"extends": cannot use ${shown}: ${why}`)
    }
    if (far.problems.some(({ code }) => code === 'config.malformed-yaml')) isIncomplete = true
    if (far.value !== undefined && far.value !== null && !isRecord(far.value)) {
      far.refuse([], 'the file must be a map')
    }
    const whole = await extend(far, [...chain, file])
    problems.push(...whole.problems)
    return whole
  }
}

interface Named {
  readonly written: string
  readonly path: Path
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Other types are left to the schema. */
function namesIn({ value }: ConfigSource): Named[] {
  const named = valueAt(value, ['extends'])
  if (typeof named === 'string') return isBlank(named) ? [] : [{ written: named, path: ['extends'] }]
  if (!Array.isArray(named)) return []
  return named.flatMap((written: unknown, index) =>
    typeof written === 'string' && !isBlank(written) ? [{ written, path: ['extends', index] }] : [],
  )
}
