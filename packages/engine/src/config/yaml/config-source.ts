// One YAML file read, substituted, and ready to be complained about.

import type { ConfigProblem, ProblemCode } from '../problems/problem.ts'
import { entryOf, formatPath, type Path, valueAt } from '../problems/value-path.ts'
import { serverKeys } from '../schema/server-blocks.ts'
import type { Environment } from './environment.ts'
import { namesSecret } from './names-secret.ts'
import { type Position, parseYaml, type YamlTree } from './parse-yaml.ts'
import { isInside, projectFolderOf, resolvePath } from './project-path.ts'
import { readText } from './read-text.ts'
import { exposedSecret, isGiven, mayHoldSecret } from './secret-paths.ts'
import { isNested, referencedFiles, type Substituted, type Substitution, substitute } from './substitute.ts'

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

/** The file something was written in, and the folder its paths may not leave. */
export interface FileOrigin {
  readonly file: string
  readonly projectFolder: string
}

export interface ConfigSource extends FileOrigin {
  readonly value: unknown
  /** By formatted path. */
  readonly substitutions: ReadonlyMap<string, Substitution>
  readonly problems: readonly ConfigProblem[]
  /** Files beside this one that its content depends on. */
  readonly reads: readonly string[]
  /** What is already wrong with a path is said once: later complaints about it or below it are dropped. */
  report(draft: ProblemDraft): void
  /** Where a path was written, or its nearest ancestor that was. */
  locationOf(path: Path, part?: 'key' | 'value'): Position & { readonly file: string }
  /** What the paths a value names are relative to. */
  originFileOf(path: Path): FileOrigin
}

export interface ReadSourceOptions {
  readonly env: Environment
  readonly homeDir: string
  /** `note` makes a warning of a variable that a tool or a hook lacks: the file is right, this machine is not set up. */
  readonly credentials?: 'require' | 'note' | undefined
}

/** Null when there is no such file; whatever else is wrong is among its problems. */
export async function readSource(file: string, options: ReadSourceOptions): Promise<ConfigSource | null> {
  const { env, homeDir, credentials } = options
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
  reportSubstitutions(draft, substitutions, credentials)
  const reads = await Promise.all([...files.keys()].map((path) => resolvePath(path, file)))
  return { ...draft, value, substitutions, reads }
}

function createSource({ file, projectFolder, tree }: FileOrigin & { readonly tree: YamlTree }): ConfigSource {
  const found: ConfigProblem[] = tree.problems.map((problem) => ({ severity: 'error', file, ...problem }))
  const locationOf: ConfigSource['locationOf'] = (path, part) => ({ file, ...tree.positionOf(path, part) })
  const originFile = { file, projectFolder }
  const problemList = createProblemList(found, locationOf)
  return {
    ...originFile,
    ...problemList,
    value: tree.value,
    substitutions: new Map(),
    reads: [],
    locationOf,
    originFileOf: () => originFile,
  }
}

/** Problems so far, and how to add one. */
export function createProblemList(
  start: readonly ConfigProblem[],
  locationOf: ConfigSource['locationOf'],
  wrongAlready: readonly string[] = [],
): Pick<ConfigSource, 'problems' | 'report'> {
  const problems = [...start]
  const wrong = new Set(wrongAlready)
  const report = ({ path, part, severity, code, message, suggestion }: ProblemDraft): void => {
    if (path.some((_, index) => wrong.has(formatPath(path.slice(0, index + 1))))) return
    const at = formatPath(path)
    if (severity === 'error') wrong.add(at)
    const location = locationOf(path, part)
    problems.push({
      severity,
      code,
      message,
      ...location,
      path: at,
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
  return { problems, report }
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
  const setting = valueAt(value, ['allow_outside'])
  return setting === true || (setting === 'true' && substitutions.has('allow_outside'))
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

/** The server's own settings say for themselves which of them are secrets. */
const isSecretAllowed = (path: Path): boolean => mayHoldSecret(path) || serverKeys.includes(String(path[0]))

const keyPath = /(?:^|\.)(?:model|embedding_provider|providers\.[^.]+)\.api_key$/

/** A missing variable in an `api_key` is left to the credential check: the simulator does not need it. */
function reportSubstitutions(
  source: ConfigSource,
  substitutions: ReadonlyMap<string, Substitution>,
  credentials: ReadSourceOptions['credentials'],
): void {
  for (const [at, { path, missing, malformed }] of substitutions) {
    const secret = missing.find((name) => namesSecret(name) && !isSecretAllowed(path))
    if (secret !== undefined) {
      // Setting it would only bring this up.
      source.report({ severity: 'error', code: 'config.exposed-secret', path, message: exposedSecret(secret) })
    } else if (missing.length > 0 && !keyPath.test(at)) {
      const names = [...new Set(missing)].join(', ')
      const severity = credentials === 'note' && isGiven(path) ? 'warning' : 'error'
      const message = `the environment has no ${names}: set it, or give a default with \${NAME:-default}`
      source.report({ severity, code: 'config.missing-variable', path, part: 'value', message })
    }
    const [wrong] = malformed
    if (wrong !== undefined) {
      const message = isNested(wrong)
        ? `"${wrong}}": a reference inside another does not work: write the default as text`
        : `"${wrong}" is not a reference: write \${NAME}, or $\${…} for the text itself`
      source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
    }
  }
}
