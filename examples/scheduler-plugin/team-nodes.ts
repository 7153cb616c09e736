// Outside of this repository: from 'kubeberth'.
import { ActionType, definePlugin, ok, unresolvable } from '../../src/index.ts'

const teamLabel = 'example.com/team'

/**
 * Nodes with a team take that team's pods only; nodes without one take anybody's. A team's own nodes are preferred.
 * Pods that found no node are tried again when a node appears or its labels change, and not before.
 */
export const teamNodes = definePlugin({
  name: 'TeamNodes',
  filter({ pod }, { node }) {
    const owner = node.metadata.labels?.[teamLabel]
    if (owner === undefined || owner === pod.metadata.labels?.[teamLabel]) return ok
    return unresolvable(`node(s) belonged to team ${owner}`)
  },
  score({ pod }, { node }) {
    const team = pod.metadata.labels?.[teamLabel]
    return team !== undefined && node.metadata.labels?.[teamLabel] === team ? 100 : 0
  },
  wakeOn: [
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeLabel },
      hint: (pod, { after }) => {
        const owner = after?.metadata.labels?.[teamLabel]
        return owner === undefined || owner === pod.metadata.labels?.[teamLabel]
      },
    },
  ],
})
