import { defineConfig } from 'vitest/config'

/** `npm run test:cluster`: berth on real parts of Kubernetes. Slow, and skipped where Go or etcd is missing. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.cluster.ts'],
    pool: 'forks',
    fileParallelism: false,
    // Real processes on a shared machine: what fails is tried again before it counts.
    retry: 2,
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
})
