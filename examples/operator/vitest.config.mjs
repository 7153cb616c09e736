export default { test: { include: ['*.test.ts'], testTimeout: 60_000 } }
