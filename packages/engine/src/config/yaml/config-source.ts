// Reads one YAML file and substitutes its references; problems are reported on the result.
import type { ConfigProblem } from '../problems/problem.ts'
import { createProblemList, type LocateProblem, type ProblemList } from '../problems/problem-list.ts'
import { entryOf, type Path, valueAt } from '../problems/value-path.ts'
import type { Environment } from './environment.ts'
import { namesSecret } from './names-secret.ts'
import { parseYaml, type YamlTree } from './parse-yaml.ts'
import { isInsideProject, projectFolderOf, resolvePath } from './project-path.ts'
import { readText } from './read-text.ts'
import { exposedSecret, isPassedOn, mayHoldSecret, serverKeys } from './secret-paths.ts'
import { isNested, referencedFiles, type Substituted, type Substitution, substitute } from './substitute.ts'

const maxBytes = 1024 * 1024
const maxSecretBytes = 64 * 1024
const secretFolders = ['/run/secrets', '/var/run/secrets']

/** The file that contains a value, and the folder its paths may not leave. */
export interface FileOrigin {
  readonly file: string
  readonly projectFolder: string
}

export interface ConfigSource extends FileOrigin, ProblemList {
  readonly value: unknown
  /** By formatted path. */
  readonly substitutions: ReadonlyMap<string, Substitution>
  /** Other files that its content depends on. */
  readonly reads: readonly string[]
  /** The position of a path, or of its nearest ancestor in the file. */
  readonly locationOf: LocateProblem
  /** The file that paths in this value are relative to. */
  originFileOf(path: Path): FileOrigin
}

export interface ReadSourceOptions {
  readonly env: Environment
  readonly homeDir: string
  /** With `note`, a missing variable of a tool or a hook is a warning: only this machine is not set up. */
  readonly credentials?: 'require' | 'note' | undefined
}

/** Null if there is no such file; other failures are among its problems. */
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
  // `allow_outside` is evaluated before any file is read: its value cannot come from a file.
  const allowed = allowsOutside(substitute(tree.value, { variable, file: () => undefined })) ? 'anywhere' : 'project'
  const files = await readReferencedFiles(draft, allowed)
  const { value, substitutions } = substitute(tree.value, { variable, file: (path) => files.get(path) })
  reportSubstitutions(draft, substitutions, credentials)
  const reads = await Promise.all([...files.keys()].map((path) => resolvePath(path, file)))
  return { ...draft, value, substitutions, reads }
}

function createSource({ file, projectFolder, tree }: FileOrigin & { readonly tree: YamlTree }): ConfigSource {
  const found: ConfigProblem[] = tree.problems.map((problem) => ({ severity: 'error', file, ...problem }))
  const locationOf: LocateProblem = (path, part) => ({ file, ...tree.positionOf(path, part) })
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

/** The content of each `${file:…}` without its last line break. Files that may not or cannot be read are left out. */
async function readReferencedFiles(
  source: ConfigSource,
  allowed: 'project' | 'anywhere',
): Promise<Map<string, string>> {
  const contents = new Map<string, string>()
  for (const path of referencedFiles(source.value)) {
    const message = allowed === 'anywhere' ? undefined : await refusalToRead(path, source)
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
  for (const folder of [source.projectFolder, ...secretFolders])
    if (await isInsideProject(target, folder)) return undefined
  return `\${file:${path}} lies outside the project folder: move it, or set allow_outside: true`
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

/** The schemas of server settings decide which of them are secret. */
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
      // Setting the variable would only cause this error next.
      source.report({ severity: 'error', code: 'config.exposed-secret', path, message: exposedSecret(secret) })
    } else if (missing.length > 0 && !keyPath.test(at)) {
      const names = [...new Set(missing)].join(', ')
      const severity = credentials === 'note' && isPassedOn(path) ? 'warning' : 'error'
      const message = `the environment has no ${names}: set it, or add a default with \${NAME:-default}`
      source.report({ severity, code: 'config.missing-variable', path, part: 'value', message })
    }
    const [wrong] = malformed
    if (wrong !== undefined) {
      const message = isNested(wrong)
        ? `"${wrong}}": references cannot be nested: write the default as text`
        : `"${wrong}" is not a reference: write \${NAME}, or $\${…} for the literal text`
      source.refuseValue(path, message)
    }
  }
}
