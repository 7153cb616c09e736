import { defineConfig } from 'vitest/config'

/** `npm run test:cluster`: berth on real parts of Kubernetes. Slow, and skipped where Go or etcd is missing. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.cluster.ts'],
    globalSetup: ['test/cluster/global-setup.ts'],
    pool: 'forks',
    // Each file has a cluster of its own, and waits more than it works: for leases, countdowns and servers that start.
    maxWorkers: 2,
    // Real processes on a shared machine: what fails is tried again before it counts.
    retry: 2,
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
  },
})
