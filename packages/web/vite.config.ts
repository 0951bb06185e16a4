import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  plugins: [react(), preloadInterfaceFont(), listParts()],
  resolve: { conditions: ['@quarterdeck/source', 'module', 'browser', 'development|production'] },
  // The import worker loads the reader of a file format on first use.
  worker: { format: 'es' },
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    sourcemap: false,
    chunkSizeWarningLimit: 600,
    // The first versions with `light-dark()`. Older ones would need every token twice.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The content security policy forbids data: fonts, so no asset is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

/** Preloads the interface font for the first paint. Only the bundle knows the hash in its name. */
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
 * Lists the files that a Data page loads ahead to work offline: scripts, styles and modules. The database is left out,
 * because the page has loaded it by then.
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
