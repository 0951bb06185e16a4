// Every relative link and anchor of a Markdown page leads somewhere, and every picture is used by a page.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listFiles } from './list-files.mjs'

/** @typedef {{ path: string, text: string }} Page */

/**
 * @param {string} root
 * @returns {Promise<import('./run-steps.mjs').StepResult>}
 */
export async function checkLinks(root) {
  const paths = (await listFiles(root)).filter((path) => existsSync(join(root, path)))
  const pages = await Promise.all(
    paths
      .filter((path) => path.endsWith('.md'))
      .map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  )
  const problems = findBrokenLinks(pages, paths)
  const note = `${pages.length} pages`
  if (problems.length > 0) return { passed: 0, failed: 1, note, output: problems.join('\n') }
  return { passed: 1, failed: 0, note, output: '' }
}

/**
 * @param {readonly Page[]} pages
 * @param {readonly string[]} paths every file of the repository
 */
export function findBrokenLinks(pages, paths) {
  const files = new Set(paths)
  const folders = new Set(paths.flatMap(foldersOf))
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
  /** @type {Set<string>} */
  const used = new Set()
  const broken = pages.flatMap(({ path, text }) =>
    linksOf(text).flatMap(({ target, line }) => {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? path : join(dirname(path), decodeURIComponent(file)).replace(/\/$/, '')
      used.add(linked)
      if (!files.has(linked) && !folders.has(linked)) return [`${path}:${line}: ${target} does not exist`]
      const known = anchors.get(linked)
      if (anchor === undefined || known === undefined || known.has(anchor)) return []
      return [`${path}:${line}: ${target}: no such heading`]
    }),
  )
  const unused = paths.filter((path) => /^docs\/pictures\/.*\.png$/.test(path) && !used.has(path))
  return [...broken, ...unused.map((path) => `${path} is not used by any page`)]
}

/** @param {string} path */
function foldersOf(path) {
  const parts = path.split('/').slice(0, -1)
  return ['.', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))]
}

/** @param {string} text */
const withoutFences = (text) => text.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, (block) => block.replace(/[^\n]/g, ''))

/** @param {string} text */
function linksOf(text) {
  return withoutFences(text)
    .split('\n')
    .flatMap((line, at) =>
      [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => ({
        target: match[1] ?? '',
        line: at + 1,
      })),
    )
    .filter(({ target }) => !/^[a-z]+:/.test(target))
}

/**
 * As GitHub forms them: lower case, without punctuation, numbered if repeated.
 * @param {string} text
 */
function anchorsOf(text) {
  /** @type {Map<string, number>} */
  const seen = new Map()
  return new Set(
    [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
      const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
      const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    }),
  )
}
