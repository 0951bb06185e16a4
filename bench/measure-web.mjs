// The bytes that a browser loads before it shows the workbench. Measures size, not time.
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** @typedef {import('./figure.mjs').Figure} Figure */

const site = fileURLToPath(new URL('../packages/web/dist/site/', import.meta.url))

/** @type {import('./figure.mjs').Measurement} */
export const web = {
  title: 'Workbench, first load',
  async measure() {
    const page = await readFile(join(site, 'index.html'), 'utf8')
    const linked = [...page.matchAll(/(?:src|href)="\/?([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '')
    const first = await withStaticImports(linked)
    const assets = await readdir(join(site, 'assets'))
    const lazy = assets.map((name) => `assets/${name}`).filter((path) => /\.(js|css)$/.test(path) && !first.has(path))
    const fonts = assets.filter((name) => name.endsWith('.woff2')).map((name) => `assets/${name}`)
    const kept = { unit: 'kB gzip', theirs: null, against: '', better: /** @type {const} */ ('lower') }
    return [
      {
        ...kept,
        name: 'page, scripts and styles of the first load',
        ours: (gzipped(page) + (await gzippedFiles([...first]))) / 1000,
        goal: '≤ 200 kB',
        note: `${first.size} files`,
      },
      { ...kept, name: 'lazy parts', ours: (await gzippedFiles(lazy)) / 1000, note: `${lazy.length} files` },
      {
        ...kept,
        name: 'fonts of all writing systems (a page loads some)',
        unit: 'kB',
        ours:
          (await Promise.all(fonts.map((path) => readFile(join(site, path))))).reduce((a, b) => a + b.length, 0) / 1000,
        note: `${fonts.length} files`,
      },
    ]
  },
}

/** @param {string | Buffer} content */
const gzipped = (content) => gzipSync(content, { level: 9 }).length

/** @param {readonly string[]} paths */
async function gzippedFiles(paths) {
  const contents = await Promise.all(paths.map((path) => readFile(join(site, path))))
  return contents.reduce((sum, content) => sum + gzipped(content), 0)
}

/**
 * Chunks that a loaded chunk imports statically are part of the first load.
 * @param {readonly string[]} linked
 */
async function withStaticImports(linked) {
  /** @type {Set<string>} */
  const found = new Set()
  const open = [...linked]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    found.add(path)
    if (!path.endsWith('.js')) continue
    const code = await readFile(join(site, path), 'utf8')
    for (const [, name] of code.matchAll(/(?:^|[;}\s])(?:import|export)[^;("']*["']\.\/([\w.-]+\.js)["']/g)) {
      open.push(join(dirname(path), name ?? ''))
    }
  }
  return found
}
