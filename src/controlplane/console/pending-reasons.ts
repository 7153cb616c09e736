// The reasons why pods are pending, from the messages of the scheduler.

/** `0/300 nodes are available: 12 Insufficient cpu, 3 node(s) had …` without the counts, so that similar messages are equal. */
export function reasonsOf(message: string): string {
  const [head = ''] = message
    .replace(/^\d+\/\d+ nodes are available: /, '')
    .split(/\. (?:no new claims|preemption:)/, 1)
  const reasons = head
    .replace(/\.$/, '')
    .split(/, (?=\d)/)
    .map((part) => part.replace(/^\d+ /, ''))
  return [...new Set(reasons)].sort().join(', ')
}

/** Reports whether a message belongs to a pod that the scheduler tried on the nodes. */
export const isAboutNodes = (message: string): boolean => /^\d+\/\d+ nodes are available/.test(message)

const insufficient = 'Insufficient '

/** Lists missing resources first, then nodes that do not accept the pod, without the words that all of them share. */
export function briefReasons(reasons: string): string {
  const all = reasons.split(', ')
  const short = all.filter((reason) => reason.startsWith(insufficient))
  const others = all
    .filter((reason) => !reason.startsWith(insufficient))
    .map((reason) => reason.replace(/^node\(s\) (?:had |were )?/, ''))
  const resources = short.map((reason) => reason.slice(insufficient.length)).join(', ')
  return [...(resources === '' ? [] : [`${insufficient}${resources}`]), ...others].join('; ')
}
