// One YAML file read, substituted, and ready to be complained about.

import type { Environment } from './environment.ts'
import { parseYaml, type YamlTree } from './parse-yaml.ts'
import type { ConfigProblem, ProblemCode } from './problem.ts'
import { isInside, projectFolderOf, resolvePath } from './project-path.ts'
import { readText } from './read-text.ts'
import { referencedFiles, type Substituted, type Substitution, substitute } from './substitute.ts'
import { entryOf, formatPath, type Path, valueAt } from './value-path.ts'

const maxBytes = 1024 * 1024
const maxSecretBytes = 64 * 1024
const secretFolders = ['/run/secrets', '/var/run/secrets']

export interface ProblemDraft {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly path: Path
  readonly message: string
  readonly suggestion?: string | undefined
  /** What the position points at; the key unless said. */
  readonly part?: 'key' | 'value'
}

export interface ConfigSource {
  readonly file: string
  readonly projectFolder: string
  readonly value: unknown
  /** By formatted path. */
  readonly substitutions: ReadonlyMap<string, Substitution>
  readonly problems: readonly ConfigProblem[]
  /** Files beside this one that its content depends on. */
  readonly reads: readonly string[]
  /** What is already wrong with a path is said once: later complaints about it or below it are dropped. */
  report(draft: ProblemDraft): void
}

export interface ReadSourceOptions {
  readonly env: Environment
  readonly homeDir: string
}

/** Null when there is no such file; whatever else is wrong is among its problems. */
export async function readSource(file: string, { env, homeDir }: ReadSourceOptions): Promise<ConfigSource | null> {
  const read = await readText(file, maxBytes)
  if (read.type === 'absent') return null
  const projectFolder = await projectFolderOf(file, homeDir)
  if (read.type === 'unreadable') {
    const source = createSource({ file, projectFolder, tree: parseYaml('') })
    source.report({ severity: 'error', code: 'config.unreadable', path: [], message: `cannot be read: ${read.reason}` })
    return source
  }
  const tree = parseYaml(read.text)
  const draft = createSource({ file, projectFolder, tree })
  const variable = (name: string) => entryOf(env, name)
  // Whether files may be anywhere is asked before any of them is read: it cannot come from one.
  const isFree = allowsOutside(substitute(tree.value, { variable, file: () => undefined }))
  const files = await readReferencedFiles(draft, isFree)
  const { value, substitutions } = substitute(tree.value, { variable, file: (path) => files.get(path) })
  reportSubstitutions(draft, substitutions)
  const reads = await Promise.all([...files.keys()].map((path) => resolvePath(path, file)))
  return { ...draft, value, substitutions, reads }
}

function createSource(parts: { file: string; projectFolder: string; tree: YamlTree }): ConfigSource {
  const { file, projectFolder, tree } = parts
  const problems: ConfigProblem[] = tree.problems.map((problem) => ({ severity: 'error', file, ...problem }))
  const wrong = new Set<string>()
  const report = (draft: ProblemDraft): void => {
    if (draft.path.some((_, index) => wrong.has(formatPath(draft.path.slice(0, index + 1))))) return
    const path = formatPath(draft.path)
    if (draft.severity === 'error') wrong.add(path)
    const { severity, code, message, suggestion } = draft
    const place = tree.positionOf(draft.path, draft.part)
    problems.push({
      severity,
      code,
      message,
      file,
      ...place,
      path,
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
  return { file, projectFolder, value: tree.value, substitutions: new Map(), problems, reads: [], report }
}

/** What each `${file:…}` holds, without its last line break. Those that may not or cannot be read are left out. */
async function readReferencedFiles(source: ConfigSource, isFree: boolean): Promise<Map<string, string>> {
  const contents = new Map<string, string>()
  for (const path of referencedFiles(source.value)) {
    const message = isFree ? undefined : await refusalToRead(path, source)
    const read =
      message === undefined ? await readText(await resolvePath(path, source.file), maxSecretBytes) : undefined
    if (read?.type === 'text') {
      contents.set(path, read.text.replace(/\r?\n$/, ''))
      continue
    }
    const reason = read?.type === 'unreadable' ? read.reason : 'there is no such file'
    const code = message === undefined ? 'config.unreadable' : 'config.outside-project'
    const at = pathNaming(source.value, `\${file:${path}}`, [])
    source.report({ severity: 'error', code, path: at, message: message ?? `cannot read \${file:${path}}: ${reason}` })
  }
  return contents
}

async function refusalToRead(path: string, source: ConfigSource): Promise<string | undefined> {
  const target = await resolvePath(path, source.file)
  for (const folder of [source.projectFolder, ...secretFolders]) if (await isInside(target, folder)) return undefined
  return `\${file:${path}} lies outside the project folder: move it, or say allow_outside: true`
}

function allowsOutside({ value, substitutions }: Substituted): boolean {
  const said = valueAt(value, ['allow_outside'])
  return said === true || (said === 'true' && substitutions.has('allow_outside'))
}

function pathNaming(value: unknown, text: string, path: Path): Path {
  if (typeof value !== 'object' || value === null) return path
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    if (typeof item === 'string' && item.includes(text)) return here
    const below = pathNaming(item, text, here)
    if (below.length > here.length) return below
  }
  return path
}

/** A missing variable in `model.api_key` is left to the credential check: the simulator does not need it. */
function reportSubstitutions(source: ConfigSource, substitutions: ReadonlyMap<string, Substitution>): void {
  for (const [at, { path, missing, malformed }] of substitutions) {
    if (missing.length > 0 && at !== 'model.api_key') {
      const names = [...new Set(missing)].join(', ')
      const message = `the environment has no ${names}: set it, or give a default with \${NAME:-default}`
      source.report({ severity: 'error', code: 'config.missing-variable', path, part: 'value', message })
    }
    if (malformed.length > 0) {
      const message = `"${malformed[0]}" is not a reference: write \${NAME}, or $\${…} for the text itself`
      source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
    }
  }
}
