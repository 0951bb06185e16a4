import { defineConfig } from 'vitest/config'

// Tests run on the sources of every package: one private export condition, no aliases.
const conditions = ['@quarterdeck/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    environment: 'node',
    // The real CLI and kill -9 tests run under load on two cores: generous, never a measure of speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
