// Keeps old names and metaphors out: file names, identifiers, pages, texts on screen and test titles. A type name is
// exported once, and no folder is full and no file too long.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { listFiles } from './list-files.mjs'

/**
 * @typedef {{ path: string, text: string }} SourceFile
 * @typedef {typeof import('../tools/node_modules/typescript/lib/typescript.d.ts')} TypeScript
 * @typedef {import('../tools/node_modules/typescript/lib/typescript.d.ts').Node} Node
 */

/** Names that were replaced, whole. */
const replacedNames = new Set([
  'doorNeeds',
  'LiveSession',
  'ConfigShelf',
  'AskDesk',
  'StepBook',
  'StepRoom',
  'AnalysisShelf',
  'AnalysisRooms',
  'Conductor',
  'SessionStory',
  'Acts',
  'createCell',
  'fitCheck',
  'tellingLine',
  'underBoth',
  'clearAway',
  'hearOut',
  'requestOf',
  'endingTools',
  'lateParts',
  'sessionParts',
  'personAsker',
  'PersonAsker',
  'clientToolbox',
  'ClientToolbox',
  'sessionShape',
  'SessionShape',
])

/** File names that were replaced, without extension. */
const replacedFiles = new Set([
  'late-parts',
  'session-parts',
  'clear-away',
  'hear-out',
  'request-of',
  'ending-tools',
  'person-asker',
  'client-toolbox',
  'session-shape',
  'fit-check',
  'telling-line',
  'under-both',
  'kept',
])

/** Words that no part of a name may be. */
const forbiddenParts =
  /^(?:doors?|doorways?|shelf|shelves|desks?|house|houses|rooms?|purses?|treasury|bells?|breathe|wayward|told|untold|heard)$/

/** Metaphors that no page, text on screen or test title may use. */
const metaphor = /\b(?:doors?|doorways?|shelf|shelves|desks?|houses?|rooms?|purses?|treasury|bells?)\b/gi

/** Sample documents and tables: ordinary English about shops and offices. */
const sampleTexts =
  /\/testing\/labelled\/|^examples\/support\/handbook\/|^examples\/netbox\/offline\/|\/data\/samples\//

/** At most so many lines in a source file. */
const maxLines = 400

const testFile = /\.(?:test|test-d|contract|fixture)\.\w+$/

const codeFile = /\.(?:tsx?|mjs)$/

/** The formatter puts top-level declarations at the start of a line. */
const exportedType = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm

/** Ordinary English and stored values, with the reason. */
const exempt = [
  // Places and departments.
  /\b(?:meeting|server|conference|mail|hotel) rooms?\b/gi,
  /\b(?:service|help|front|standing) desks?\b/gi,
  // The owner of sessions of a compatibility listener is stored as `door:<wire>:<agent>`.
  /\bdoor:/g,
]

/**
 * @param {string} root
 * @returns {Promise<import('./run-steps.mjs').StepResult>}
 */
export async function checkWords(root) {
  const paths = await listFiles(root)
  const all = await Promise.all(paths.map(async (path) => ({ path, text: await readOrEmpty(join(root, path)) })))
  const files = all.filter(({ path }) => isChecked(path))
  const ts = createRequire(join(root, 'tools/package.json'))('typescript')
  const problems = [
    ...findWords(files, ts),
    ...findRepeatedTypes(files),
    ...findFullFolders(paths),
    ...findLongFiles(all),
  ]
  const note = `${files.length} files`
  if (problems.length > 0) return { passed: 0, failed: 1, note, output: problems.join('\n') }
  return { passed: 1, failed: 0, note, output: '' }
}

/**
 * @param {readonly SourceFile[]} files
 * @param {TypeScript} ts
 */
export function findWords(files, ts) {
  return files.flatMap((file) => [
    ...nameProblems(file.path),
    ...(/\.md$/.test(file.path) ? proseProblems(file.path, file.text) : []),
    ...(codeFile.test(file.path) ? codeProblems(file, ts) : []),
  ])
}

/**
 * Type names that several sources of the packages declare and export. A type and the schema of its name in one file are
 * one.
 * @param {readonly SourceFile[]} files
 */
export function findRepeatedTypes(files) {
  /** @type {Map<string, Set<string>>} */
  const places = new Map()
  for (const { path, text } of files) {
    if (!/^packages\/[^/]+\/src\//.test(path) || testFile.test(path)) continue
    for (const [, name = ''] of text.matchAll(exportedType)) {
      places.set(name, (places.get(name) ?? new Set()).add(path))
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `type "${name}" is exported by ${[...paths].join(' and ')}: rename one`)
}

/**
 * Folders with more than forty files besides tests are hard to scan.
 * @param {readonly string[]} paths
 */
export function findFullFolders(paths) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const path of paths) {
    if (!/^(?:packages\/[^/]+\/src|e2e)\//.test(path) || testFile.test(path)) continue
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > 40)
    .map(([folder, count]) => `${folder} has ${count} files: split it`)
}

/** @param {readonly SourceFile[]} files */
export function findLongFiles(files) {
  return files
    .filter(({ path }) => codeFile.test(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${maxLines}: split it`)
}

/** @param {string} path */
function isChecked(path) {
  // The changelog is history, and this script and its test name the words.
  return path !== 'CHANGELOG.md' && !path.startsWith('scripts/check-words') && !sampleTexts.test(path)
}

/** @param {string} path */
function nameProblems(path) {
  return path
    .split('/')
    .map((segment) => segment.replace(/\..*$/, ''))
    .filter((name) => replacedFiles.has(name) || name.split('-').some((part) => forbiddenParts.test(part)))
    .map((name) => `${path}: "${name}" is a replaced name`)
}

/**
 * @param {string} where
 * @param {string} text
 */
function proseProblems(where, text) {
  return text.split('\n').flatMap((line, index) => {
    const words = exempt.reduce((rest, pattern) => rest.replace(pattern, ''), line).match(metaphor)
    return words === null ? [] : [`${where}:${index + 1}: "${words[0]}" is a metaphor`]
  })
}

/**
 * @param {SourceFile} file
 * @param {TypeScript} ts
 */
function codeProblems({ path, text }, ts) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : path.endsWith('.mjs') ? ts.ScriptKind.JS : ts.ScriptKind.TS
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const isTest = /\.(?:test|contract|fixture)\.tsx?$|^e2e\//.test(path)
  /** @type {string[]} */
  const problems = []
  /** @param {Node} node */
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1

  /** @param {Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node) && isReplaced(node.text)) problems.push(`${path}:${lineOf(node)}: name "${node.text}"`)
    if (ts.isJsxText(node)) problems.push(...proseProblems(`${path}:${lineOf(node)}`, node.text))
    const text = proseOf(node, ts)
    const isRead = text !== null && (!isTest || isTitle(node, ts))
    if (isRead) problems.push(...proseProblems(`${path}:${lineOf(node)}`, text))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
}

/**
 * The text that people read; `null` for a string that is a value, which is one word in lower case.
 * @param {Node} node
 * @param {TypeScript} ts
 */
function proseOf(node, ts) {
  if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return node.text
  return ts.isStringLiteralLike(node) && /^[A-Z]|\s/.test(node.text) ? node.text : null
}

/** @param {string} name */
function isReplaced(name) {
  if (replacedNames.has(name)) return true
  const parts = name.split(/(?=[A-Z])|_|\d/).map((part) => part.toLowerCase())
  return parts.some((part) => forbiddenParts.test(part))
}

/**
 * @param {Node} node
 * @param {TypeScript} ts
 */
function isTitle(node, ts) {
  const text = ts.isStringLiteralLike(node) ? node : (ts.findAncestor(node, ts.isTemplateExpression) ?? node)
  const call = text.parent
  return ts.isCallExpression(call) && call.arguments[0] === text && /^(?:it|test|describe)\b/.test(call.getText())
}

/** @param {string} path */
async function readOrEmpty(path) {
  if (!/\.(?:tsx?|mjs|md)$/.test(path)) return ''
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    // Deleted in the working tree but still in the index.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
