/** A FailedScheduling message without the parts that are the same for all pods. */
export function essence(message: string): string {
  const reasons = message
    .replace(/^0\/\d+ nodes are available: /, '')
    .replace(/\.? (?:no new claims to deallocate, )?preemption: .*$/, '')
    .split(/, (?=\d+ )/)
  // Nodes that are not intended for the pod come last, because a shortage on the other nodes is the problem.
  const isMeant = (reason: string) => !/taint|node affinity|selector|unschedulable/.test(reason)
  return [...reasons.filter(isMeant), ...reasons.filter((reason) => !isMeant(reason))].join(', ')
}
