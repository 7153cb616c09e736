/** The label of nodes that a hollow kubelet serves. */
export const hollowLabel = 'berth.dev/hollow'

/** Has the same effect with the value `fake`, as a label or an annotation, for tools that support KWOK. */
export const kwokName = 'kwok.x-k8s.io/node'

/** Annotations that inject failures into hollow nodes and pods. Scenarios have the same effects without annotations. */
export const hollowAnnotations = {
  /** Node, `true`: its kubelet is silent. */
  silent: 'berth.dev/silent',
  /** Node, a list of `memory`, `disk`, `pid`: the pressure conditions that its kubelet reports. */
  pressure: 'berth.dev/pressure',
  /** Node: the reason for which its kubelet reports NotReady. */
  notReady: 'berth.dev/not-ready',
  /** Node, a list, or `*` for all: the runtime handlers of RuntimeClasses that it has. */
  runtimeHandlers: 'berth.dev/runtime-handlers',
  /** Pod, a duration: the time from its start to its end. */
  runFor: 'berth.dev/run-for',
  /** Pod: the exit code of its containers. Default: 0. */
  exitCode: 'berth.dev/exit-code',
  /** Pod, a duration: the time from each start of its containers to a crash. */
  crashAfter: 'berth.dev/crash-after',
  /** Pod, `true`: its images cannot be pulled. */
  imagePullFailure: 'berth.dev/image-pull-failure',
  /** Pod, a duration: the time until it is started. */
  startAfter: 'berth.dev/start-after',
  /** Pod, a duration: the time until it has stopped, at most its grace period. */
  stopAfter: 'berth.dev/stop-after',
} as const
