import { dirname, relative } from 'node:path'
import type { Instructions } from '@quarterdeck/protocol'
import { nearestPath } from '../check/check-named-files.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { frontmatterOf } from '../yaml/frontmatter.ts'
import { isInside, resolvePath } from '../yaml/project-path.ts'
import { readText } from '../yaml/read-text.ts'
import type { AgentContext } from './resolve-agent.ts'

const maxBytes = 1024 * 1024
const ways = ['inline', 'file', 'preset'] as const

export async function resolveInstructions(context: AgentContext): Promise<Instructions> {
  const { source, file } = context
  const { inline, file: named, preset, append } = file.instructions
  const given = ways.filter((way) => file.instructions[way] != null)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.map((way) => withLocation(source, way)).join(' and ')
    const message = `"instructions" must have exactly one of ${ways.join(', ')}; found ${found}${wayOut(source, given)}`
    source.report({ severity: 'error', code: 'config.invalid', path: ['instructions'], message })
  }
  if (append != null && preset == null) {
    const message = '"instructions.append" goes with "instructions.preset" only'
    source.report({ severity: 'error', code: 'config.invalid', path: ['instructions', 'append'], message })
  }
  if (preset != null) return { type: 'preset', preset, append: append ?? '' }
  if (named == null) return { type: 'text', text: inline ?? '' }
  return { type: 'text', text: bodyOf(context, await readPrompt(context, named, ['instructions', 'file'])) }
}

type Way = (typeof ways)[number]

const isInherited = (source: ConfigSource, way: Way): boolean =>
  source.originFileOf(['instructions', way]).file !== source.file

/** `file (base.yaml:2)` where another file says it. */
function withLocation(source: ConfigSource, way: Way): string {
  if (!isInherited(source, way)) return way
  const { file, line } = source.locationOf(['instructions', way])
  return `${way} (${relative(dirname(source.file), file)}:${line})`
}

/** What merges from another file goes by being cleared here. */
function wayOut(source: ConfigSource, given: readonly Way[]): string {
  const inherited = given.filter((way) => isInherited(source, way))
  if (inherited.length === 0 || inherited.length === given.length) return ''
  return `: say ${inherited.map((way) => `${way}: null`).join(', ')} here`
}

/** What stands at the head of the file between `---` lines is about the instructions, not one of them. */
function bodyOf({ source }: AgentContext, text: string): string {
  const { body } = frontmatterOf(text)
  if (body.trim() === '' && text !== '') {
    const path = ['instructions', 'file']
    const message = '"instructions.file": there is nothing behind its first lines'
    source.report({ severity: 'error', code: 'config.unreadable', path, part: 'value', message })
  }
  return body
}

/** The text of a file the agent is made of, with what is wrong reported at the path that names it. */
export async function readPrompt(context: AgentContext, written: string, path: Path): Promise<string> {
  const { source } = context
  const target = await resolveProjectPath(context, written, path)
  if (target === null) return ''
  context.dependsOn(target)
  const read = await readText(target, maxBytes)
  if (read.type === 'text' && read.text.trim() !== '') return read.text
  const reason = read.type === 'text' ? 'it is empty' : read.type === 'absent' ? 'there is no such file' : read.reason
  const message = `"${formatPath(path)}": cannot use ${asWritten(source, path, written)}: ${reason}`
  const suggestion = read.type === 'absent' ? await nearestPath(context, path, target) : undefined
  source.report({ severity: 'error', code: 'config.unreadable', path, part: 'value', message, suggestion })
  return ''
}

/** Absolute, links resolved; null when it leaves the project folder and the file does not say that it may. */
export async function resolveProjectPath(
  { source, file }: AgentContext,
  written: string,
  path: Path,
): Promise<string | null> {
  const originFile = source.originFileOf(path)
  const target = await resolvePath(written, originFile.file)
  if (file.allow_outside === true || (await isInside(target, originFile.projectFolder))) return target
  const message = `"${formatPath(path)}" leaves the project folder: move it inside, or say allow_outside: true`
  source.report({ severity: 'error', code: 'config.outside-project', path, part: 'value', message })
  return null
}
