interface Known {
  readonly pattern: RegExp
  readonly why: string
}

/** Known differences with a reason. */
const known: readonly Known[] = [
  {
    pattern:
      /escalation (PATCH|PUT) real \[403,"Forbidden",.*must have cluster-admin privileges.* \| ours .*agg\d.*\\"rules\\":\[\]/,
    why: 'the rules of an aggregated role are not stored, so a patch that empties them changes nothing',
  },
  {
    pattern:
      /escalation (PATCH|PUT) real \[403,"Forbidden",.*must have cluster-admin privileges.* \| ours \[403,"Forbidden",.*agg\d.* is attempting to grant/,
    why: 'the same: rules that are sent empty cannot be told from rules that are left out; both servers refuse',
  },
]

export const isKnown = (text: string): boolean => known.some(({ pattern }) => pattern.test(text))
