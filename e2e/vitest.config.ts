import { defineConfig } from 'vitest/config'
import { SlowestFirst } from '../scripts/slowest-first.ts'

// A real server, a real browser, the simulator. Three files at a time: most of a file is waiting for something to start.
export default defineConfig({
  cacheDir: '../node_modules/.vite-e2e',
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    // Pictures are taken on purpose, to be looked at and committed.
    exclude: process.env.PICTURES === '1' ? [] : ['pictures/**'],
    environment: 'node',
    globalSetup: ['support/server/temporary-folder.ts'],
    maxWorkers: 3,
    // One process loads each module once: no test may change what another one sees of it.
    isolate: false,
    // Node loads the built packages itself: without this, Vite would transform each of their files again.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    sequence: { concurrent: false, sequencer: SlowestFirst },
    // Bounds against a hang on a loaded machine, never a measure of speed.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
