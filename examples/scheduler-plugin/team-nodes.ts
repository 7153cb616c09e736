// Outside of this repository: from 'kubeberth'.
import { ActionType, definePlugin, ok, unresolvable } from '../../src/index.ts'

const teamLabel = 'example.com/team'

/**
 * Nodes with a team accept only pods of this team; nodes without a team accept all pods. Pods prefer the nodes of their team.
 * Rejected pods are requeued only when a node is added or its labels change.
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
