import { expect, it } from 'vitest'
import { kubectlCommand } from './kubectl-commands.ts'

it.each([
  [
    { drain: { nodes: ['a', 'b'], force: true } },
    'kubectl drain a b --ignore-daemonsets --delete-emptydir-data --force',
  ],
  [{ cordon: { selector: 'pool in (a, b)' } }, "kubectl cordon -l 'pool in (a, b)'"],
  [{ uncordon: { zone: 'z' } }, 'kubectl uncordon -l topology.kubernetes.io/zone=z'],
  [{ taint: { node: 'a', taint: 'k=v:NoExecute' } }, 'kubectl taint nodes a k=v:NoExecute --overwrite'],
  [{ untaint: { node: 'a', taint: 'k' } }, 'kubectl taint nodes a k-'],
  [
    { scale: { target: 'deployments.apps/shop/web', replicas: 3 } },
    'kubectl scale -n shop deployments.apps/web --replicas=3',
  ],
  [{ delete: { targets: ['nodes/a'], gracePeriodSeconds: 0 } }, 'kubectl delete nodes/a --grace-period=0'],
  [
    { patch: { target: 'pods/shop/web', patch: { metadata: { labels: { a: "it's; rm -rf /" } } }, type: 'merge' } },
    `kubectl patch -n shop pods/web --type=merge -p '{"metadata":{"labels":{"a":"it'\\''s; rm -rf /"}}}'`,
  ],
  [{ cordon: { nodes: ['a; reboot', '$(x)'] } }, "kubectl cordon 'a; reboot' '$(x)'"],
  [{ fail: { node: 'a' } }, '# fail a'],
])('writes %j as one shell command', (step, expected) => {
  expect(kubectlCommand({ at: '0s', ...step } as never)).toBe(expected)
})
