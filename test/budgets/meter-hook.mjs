// Loaded into the server's process with --import and --expose-gc: reports the memory that is left after garbage
// collection when the runner asks for it. Nothing else of the process changes.
process.on('message', (message) => {
  if (message !== 'memory') return
  globalThis.gc()
  // The second pass collects the objects that finalizers release.
  setImmediate(() => {
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send({ bytes: heapUsed + external, rss })
  })
})
process.channel?.unref()
