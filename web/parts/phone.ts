import { signal } from '@preact/signals'

const query = matchMedia('(max-width: 820px)')

/** Whether the window is as narrow as a phone. */
export const isPhone = signal(query.matches)

query.addEventListener('change', () => {
  isPhone.value = query.matches
})
