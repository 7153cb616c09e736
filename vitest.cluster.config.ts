import { defineConfig } from 'vitest/config'

/** `npm run test:cluster`: berth on real parts of Kubernetes. Slow, and skipped where Go or etcd is missing. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.cluster.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
})
