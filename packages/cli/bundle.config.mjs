// Bundles the compiled command. Node then loads a few large files instead of about 1,500 small ones, which halves the
// CPU time of every start. For checkouts only: files of the other packages are found by their place beside this one, and
// worker processes load the compiled modules from there. Comments and whitespace are removed: Node would parse them at
// every start.
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

const folder = fileURLToPath(new URL('dist/bundle', import.meta.url))

/** Native, started as programs, or found by their path at run time. */
const external = [
  /^@anthropic-ai\/claude-agent-sdk/,
  /^@energetic-ai\//,
  /^@libsql\//,
  /^@swc\/wasm-typescript/,
  /^libsql$/,
]

/** Modules find files by their own address, which a bundle would change. */
const keepAddresses = {
  name: 'keep-addresses',
  /**
   * @param {string} code
   * @param {string} file
   */
  transform(code, file) {
    if (file.includes(`${sep}node_modules${sep}`) || !code.includes('import.meta.url')) return null
    const address = `new URL(${JSON.stringify(relative(folder, file))}, import.meta.url).href`
    return { code: code.replaceAll('import.meta.url', address) }
  },
}

export default defineConfig({
  input: 'dist/index.js',
  platform: 'node',
  external,
  plugins: [keepAddresses],
  output: {
    dir: folder,
    format: 'esm',
    cleanDir: true,
    chunkFileNames: '[name].js',
    minify: { compress: false, mangle: false },
  },
})
