import { effect, signal } from '@preact/signals'

export type ThemeChoice = 'system' | 'light' | 'dark'

/** Pages from disk may not have storage. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

const stored = storage()?.getItem('berth-theme')
export const themeChoice = signal<ThemeChoice>(stored === 'light' || stored === 'dark' ? stored : 'system')
/** The active theme; canvases are redrawn when it changes. */
export const theme = signal<'light' | 'dark'>('light')

const dark = matchMedia('(prefers-color-scheme: dark)')

function apply(): void {
  const choice = themeChoice.value
  theme.value = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice
  document.documentElement.dataset['theme'] = theme.value
}

export function startTheme(): void {
  dark.addEventListener('change', apply)
  effect(() => {
    if (themeChoice.value === 'system') storage()?.removeItem('berth-theme')
    else storage()?.setItem('berth-theme', themeChoice.value)
    apply()
  })
}

export function nextTheme(): void {
  const order: readonly ThemeChoice[] = ['system', 'light', 'dark']
  themeChoice.value = order[(order.indexOf(themeChoice.value) + 1) % order.length] ?? 'system'
}
