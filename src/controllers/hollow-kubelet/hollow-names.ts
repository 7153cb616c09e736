/** How a node says that a hollow kubelet serves it. */
export const hollowLabel = 'berth.dev/hollow'

/** What makes hollow nodes and pods go wrong, as annotations; scenarios do the same without writing anything. */
export const hollowAnnotations = {
  /** Node, `true`: its kubelet does nothing at all. */
  silent: 'berth.dev/silent',
  /** Node, a list of `memory`, `disk`, `pid`: the pressure that its kubelet reports. */
  pressure: 'berth.dev/pressure',
  /** Node: why its kubelet reports that it is not ready. */
  notReady: 'berth.dev/not-ready',
  /** Pod, a duration: how long it runs before it ends by itself. */
  runFor: 'berth.dev/run-for',
  /** Pod: the code its containers end with; 0 unless told. */
  exitCode: 'berth.dev/exit-code',
  /** Pod, a duration: how long after each start its containers crash. */
  crashAfter: 'berth.dev/crash-after',
  /** Pod, `true`: its images cannot be pulled. */
  imagePullFailure: 'berth.dev/image-pull-failure',
  /** Pod, a duration: how long it takes to start. */
  startAfter: 'berth.dev/start-after',
  /** Pod, a duration: how long it takes to end, at most its grace. */
  stopAfter: 'berth.dev/stop-after',
} as const
