// `extends`: the files an agent starts from. What is near wins: maps merge, lists replace, `null` clears.

import type { ConfigProblem } from '../problems/problem.ts'
import { isMap, type Path, valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from '../yaml/config-source.ts'
import { isInside, resolvePath } from '../yaml/project-path.ts'
import { missingInsertions, overlay } from './overlay.ts'

const maxDepth = 10

export interface Extended {
  readonly source: ConfigSource
  /** Of the files it extends. */
  readonly problems: readonly ConfigProblem[]
  /** Every file it extends, there or not. */
  readonly files: readonly string[]
  /** One of them cannot be used: what is missing may have been there. */
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
    // The later wins, so it is laid under first and keeps its keys.
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
    const isAllowed = valueAt(near.value, ['allow_outside']) === true || (await isInside(file, near.projectFolder))
    if (!isAllowed) {
      const message = '"extends" leaves the project folder: move the file inside, or say allow_outside: true'
      return refuse('config.outside-project', message)
    }
    if (chain.includes(file)) return refuse('config.invalid', `"extends": ${shown} extends itself`)
    if (chain.length > maxDepth) return refuse('config.invalid', `"extends": more than ${maxDepth} files deep`)
    files.push(file)
    const far = await readSource(file, options)
    if (far === null) return refuse('config.unreadable', `"extends": cannot use ${shown}: there is no such file`)
    const unreadable = far.problems.find((problem) => problem.code === 'config.unreadable' && problem.path === '')
    if (unreadable !== undefined) {
      const why = unreadable.message.replace(/^cannot be read: /, '')
      return refuse('config.unreadable', `"extends": cannot use ${shown}: ${why}`)
    }
    if (far.problems.some(({ code }) => code === 'config.malformed-yaml')) isIncomplete = true
    if (far.value !== undefined && far.value !== null && !isMap(far.value)) {
      far.report({ severity: 'error', code: 'config.invalid', path: [], message: 'the file must be a map' })
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

/** What is neither a text nor a list of texts is left to the schema. */
function namesIn({ value }: ConfigSource): Named[] {
  const named = valueAt(value, ['extends'])
  if (typeof named === 'string') return isBlank(named) ? [] : [{ written: named, path: ['extends'] }]
  if (!Array.isArray(named)) return []
  return named.flatMap((written: unknown, index) =>
    typeof written === 'string' && !isBlank(written) ? [{ written, path: ['extends', index] }] : [],
  )
}
