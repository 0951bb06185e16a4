import { dirname, relative } from 'node:path'
import type { Instructions } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import { nearestPath } from '../check/check-named-files.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { frontmatterOf } from '../yaml/frontmatter.ts'
import { isInsideProject, resolvePath } from '../yaml/project-path.ts'
import { readText } from '../yaml/read-text.ts'

const maxBytes = 1024 * 1024
const ways = ['inline', 'file', 'preset'] as const

export async function resolveInstructions(context: AgentContext): Promise<Instructions> {
  const { source, file } = context
  const { inline, file: named, preset, append } = file.instructions
  const given = ways.filter((way) => file.instructions[way] != null)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.map((way) => withLocation(source, way)).join(' and ')
    const message = `"instructions" must have exactly one of ${ways.join(', ')}; found ${found}${fixFor(source, given)}`
    source.refuse(['instructions'], message)
  }
  if (append != null && preset == null) {
    source.refuse(['instructions', 'append'], '"instructions.append" works only with "instructions.preset"')
  }
  if (preset != null) return { type: 'preset', preset, append: append ?? '' }
  if (named == null) return { type: 'text', text: inline ?? '' }
  return { type: 'text', text: bodyOf(context, await readPrompt(context, named, ['instructions', 'file'])) }
}

type Way = (typeof ways)[number]

const isInherited = (source: ConfigSource, way: Way): boolean =>
  source.originFileOf(['instructions', way]).file !== source.file

/** `file (base.yaml:2)` if another file sets it. */
function withLocation(source: ConfigSource, way: Way): string {
  if (!isInherited(source, way)) return way
  const { file, line } = source.locationOf(['instructions', way])
  return `${way} (${relative(dirname(source.file), file)}:${line})`
}

/** A key merged from another file is removed with null. */
function fixFor(source: ConfigSource, given: readonly Way[]): string {
  const inherited = given.filter((way) => isInherited(source, way))
  if (inherited.length === 0 || inherited.length === given.length) return ''
  return `: set ${inherited.map((way) => `${way}: null`).join(', ')} here`
}

/** Removes the front matter between `---` lines: it is metadata. */
function bodyOf({ source }: AgentContext, text: string): string {
  const { body } = frontmatterOf(text)
  if (body.trim() === '' && text !== '') {
    const path = ['instructions', 'file']
    const message = '"instructions.file": there is no text after the front matter'
    source.report({ severity: 'error', code: 'config.unreadable', path, part: 'value', message })
  }
  return body
}

/** The text of a file the agent is built from. Problems are reported at the path that names the file. */
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

/** Absolute, with links resolved; null if it leaves the project folder without `allow_outside`. */
export async function resolveProjectPath(
  { source, file }: AgentContext,
  written: string,
  path: Path,
): Promise<string | null> {
  const originFile = source.originFileOf(path)
  const target = await resolvePath(written, originFile.file)
  if (file.allow_outside === true || (await isInsideProject(target, originFile.projectFolder))) return target
  const message = `"${formatPath(path)}" leaves the project folder: move it inside, or set allow_outside: true`
  source.report({ severity: 'error', code: 'config.outside-project', path, part: 'value', message })
  return null
}
