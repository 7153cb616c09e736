// Loaded into the server's process with --import and --expose-gc: reports the memory that is left after garbage
// collection, or runs the reference computation, when the runner asks for it. Nothing else of the process changes.
process.on('message', (message) => {
  if (message === 'reference') {
    compute()
    process.send({ done: true })
    return
  }
  if (message !== 'memory') return
  globalThis.gc()
  // What finalizers release is collected by the second pass.
  setImmediate(() => {
    globalThis.gc()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send({ bytes: heapUsed + external, rss })
  })
})
process.channel?.unref()

const text = JSON.stringify(
  Array.from({ length: 8000 }, (_, i) => ({ name: `c${i}`, image: 'i', ports: [{ port: i }] })),
)

/** Work of the same nature as a large request: reads, copies, indexes and writes 8,000 small objects, three times. */
function compute() {
  let length = 0
  for (let round = 0; round < 3; round++) {
    const index = new Map(JSON.parse(text).map((part) => [`${part.name}/${round}`, { ...part, round }]))
    length += JSON.stringify([...index.values()]).length
  }
  return length
}
