import { defineConfig } from 'vitest/config'

/** `npm run test:console`: the console in a real browser, on a real `berth up`. Skipped where there is no Chromium. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.console.ts'],
    pool: 'forks',
    fileParallelism: false,
    // Real processes on a shared machine: what fails is tried again before it counts.
    retry: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
