import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  plugins: [react(), preloadInterfaceFont(), listParts()],
  resolve: { conditions: ['@quarterdeck/source', 'module', 'browser', 'development|production'] },
  // The worker that reads files loads what reads them when it meets such a file.
  worker: { format: 'es' },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    // The first versions with `light-dark()`: older ones would need every token twice.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The content security policy allows no data: fonts, so nothing is folded into the stylesheet.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

/** The interface font is needed for the first paint; its name carries a hash that only the bundle knows. */
function preloadInterfaceFont(): Plugin {
  return {
    name: 'preload-interface-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((file) =>
          /hyperlegible-next-latin-wght-normal.*\.woff2$/.test(file),
        )
        if (font === undefined) return []
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}

/**
 * What a page of Data loads ahead so that it works without a network: all scripts, styles and modules. Not the database,
 * the page has it by then and keeps it.
 */
function listParts(): Plugin {
  return {
    name: 'list-parts',
    async writeBundle({ dir = '' }) {
      const files = await readdir(join(dir, 'assets'))
      const parts = files.filter((file) => /\.(js|css|wasm)$/.test(file) && !/^duckdb-eh.*\.wasm$/.test(file)).sort()
      await writeFile(join(dir, 'parts.json'), JSON.stringify(parts.map((file) => `/assets/${file}`)))
    },
  }
}
