import { defineConfig } from 'vitest/config'
import { SlowestFirst } from '../scripts/slowest-first.ts'

// A real server, a real browser, the simulator. Four files at a time, because tests mostly wait for processes.
export default defineConfig({
  cacheDir: '../node_modules/.vite-e2e',
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    environment: 'node',
    globalSetup: ['support/server/temporary-folder.ts', 'support/browser/browser.ts'],
    maxWorkers: 4,
    // All files of a worker share their modules: no test may change the state of a module.
    isolate: false,
    // Node loads the built packages itself. Otherwise Vite would transform each of their files again.
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    sequence: { concurrent: false, sequencer: SlowestFirst },
    // Bounds against hanging on a loaded machine, not a measure of speed.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
