import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './scripts/slowest-first.ts'

// Tests run on the sources of every package: one private export condition, no aliases.
const conditions = ['@quarterdeck/source', 'module', 'node', 'development|production']

// Tests that start the real Claude CLI take seconds each: `npm run check` leaves them out, `npm test` runs them.
const realCli = 'packages/**/*real{,-cli}.test.ts'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    globalSetup: ['scripts/test-folder.ts'],
    environment: 'node',
    sequence: { sequencer: SlowestFirst },
    // One process loads each module once: no test may change what another one sees of it.
    isolate: false,
    // The usual one less than there are cores is half of a small machine, and most tests wait for something.
    maxWorkers: availableParallelism() + 1,
    // The real CLI and kill -9 tests run under load on two cores: generous, never a measure of speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', realCli],
        },
      },
      { extends: true, test: { name: 'real', include: [realCli] } },
    ],
  },
})
