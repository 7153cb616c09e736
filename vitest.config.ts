import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    // Suites that need a real cluster or a browser have a script of their own.
    exclude: ['**/node_modules/**', 'test/cluster/**'],
    // Tests share nothing but pure modules, so one worker may load them once for all files.
    isolate: false,
    pool: 'threads',
    maxWorkers: 2,
    passWithNoTests: true,
    setupFiles: ['test/property-seed.ts'],
    // Machines differ, and nothing here asserts a speed: the limit only ends what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
