// biome-ignore-all lint/a11y/useFocusableInteractive: the input has the focus, and says which option is meant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys go to the input
// biome-ignore-all lint/a11y/useSemanticElements: no element is a list of options below an input
import { useMemo, useState } from 'preact/hooks'
import { hello, live } from '../model/live.ts'
import { pageList } from '../page-list.ts'
import { go, nodeHref, pageHref, podHref, workloadHref } from '../router.ts'
import { Dialog } from './dialog.tsx'
import { nextTheme } from './theme.ts'

interface Target {
  readonly kind: string
  readonly text: string
  readonly open: () => void
}

const shown = 12

/** Finds commands, and pages, nodes, workloads and pods by a part of their name. */
export function Finder({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const found = useMemo(() => targetsFor(text.trim().toLowerCase()), [text])
  const open = (target: Target | undefined) => {
    if (target === undefined) return
    onClose()
    target.open()
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        class="field wide"
        type="text"
        role="combobox"
        aria-label="Find a page, node, workload or pod"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls="found"
        aria-activedescendant={found.length === 0 ? undefined : `found-${active}`}
        placeholder="A page, node, workload, pod or action"
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={(event) => {
          const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (move !== 0) {
            event.preventDefault()
            setActive(Math.max(0, Math.min(found.length - 1, active + move)))
          }
          if (event.key === 'Enter') open(found[active])
        }}
      />
      <div class="found" id="found" role="listbox" aria-label="Found">
        {found.map((target, at) => (
          <div
            key={`${target.kind} ${target.text}`}
            id={`found-${at}`}
            role="option"
            aria-selected={at === active}
            onClick={() => open(target)}
          >
            <span class="kind">{target.kind}</span> {target.text}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="muted">No match.</p> : null}
    </Dialog>
  )
}

function targetsFor(wanted: string): readonly Target[] {
  const found: Target[] = []
  const add = (kind: string, text: string, open: () => void) => {
    if (found.length < shown && text.toLowerCase().includes(wanted)) found.push({ kind, text, open })
  }
  for (const { title, path } of pageList) add('Page', title, () => go(pageHref(path)))
  add('Do', 'Change the theme', nextTheme)
  if (wanted === '') return found
  const { nodes, pods, small } = live.cluster
  for (const name of nodes.keys()) add('Node', name, () => go(nodeHref(name)))
  for (const key of small.rows('workloads').keys()) add('Workload', key, () => go(workloadHref(key)))
  if (hello.value?.can.forecast === true)
    for (const name of nodes.keys())
      add('What if', `drain ${name}`, () => go(`#/what-if?ask=drain&nodes=${encodeURIComponent(name)}`))
  for (const key of pods.keys()) add('Pod', key, () => go(podHref(key)))
  return found
}
