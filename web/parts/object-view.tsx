import { useState } from 'preact/hooks'

/** The stored object. */
export function ObjectView({ object }: { readonly object: unknown }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="card object" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Full object</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {isOpen ? <pre tabIndex={0}>{toYaml(object, '')}</pre> : null}
    </details>
  )
}

/** Formats YAML for reading. Parsers may not accept it. */
export function toYaml(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return value.map((item) => `\n${indent}- ${toYaml(item, `${indent}  `).replace(/^\n\s*/, '')}`).join('')
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (entries.length === 0) return '{}'
    const text = entries.map(([key, item]) => {
      const inner = toYaml(item, `${indent}  `)
      return `\n${indent}${key}:${inner.startsWith('\n') ? inner : ` ${inner}`}`
    })
    return text.join('')
  }
  if (typeof value === 'string') return /^[\w./:=-]+$/.test(value) ? value : JSON.stringify(value)
  return String(value)
}
