import { pageList } from '../page-list.ts'
import { InformingDialog } from './dialog.tsx'

const keys: readonly (readonly [string, string])[] = [
  ...pageList.map(({ key, title }) => [`g ${key}`, title] as const),
  ['Ctrl K', 'Find a page, node, workload or pod'],
  ['/', 'Search on this page'],
  ['↑ ↓ ← →', 'Move in a map or a table'],
  ['Enter', 'Open the selected item'],
  ['Space', 'Select a node of the map; Shift and an arrow select more'],
  ['D', 'Light, dark, or as the system has it'],
  ['?', 'This list'],
]

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <InformingDialog title="Keys" onClose={onClose}>
      <dl class="facts">
        {keys.map(([key, what]) => (
          <>
            <dt key={key}>
              {key.split(' ').map((one) => (
                <>
                  <kbd key={one}>{one}</kbd>{' '}
                </>
              ))}
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <p class="muted">
        Search boxes take a part of a name, or a label selector such as <code>app=web</code> or{' '}
        <code>tier in (a,b)</code>.
      </p>
    </InformingDialog>
  )
}
