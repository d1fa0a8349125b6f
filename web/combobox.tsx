import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

export interface Option {
  key: string;
  content: ComponentChildren;
}

/** A text field with a list of what it may become: arrows choose, Enter takes, Escape closes (WAI-ARIA combobox). */
export function Combobox<Chosen extends Option>(props: {
  label: string;
  placeholder?: string;
  text: string;
  onText: (text: string) => void;
  options: readonly Chosen[];
  onChoose: (option: Chosen) => void;
  /** The id of what says why the text is wrong. */
  errorId?: string | undefined;
}) {
  const { label, text, options } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const isShown = isOpen && options.length > 0;

  const choose = (option: Chosen) => {
    props.onChoose(option);
    setActive(-1);
    setOpen(false);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (options.length > 0)
        setActive((active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length);
    } else if (event.key === 'Enter' && isShown && options[active]) {
      event.preventDefault();
      choose(options[active]);
    }
  };

  return (
    <div class="combobox field">
      <label for={`${id}-text`}>{label}</label>
      <input
        ref={input}
        id={`${id}-text`}
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={props.placeholder}
        value={text}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={props.errorId !== undefined}
        aria-describedby={props.errorId}
        onInput={(event) => {
          props.onText(event.currentTarget.value);
          setActive(-1);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!isShown}>
        {isShown &&
          options.map((option, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field, which keeps the focus
            <li
              key={option.key}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              // The field would lose the focus, and close the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {option.content}
            </li>
          ))}
      </ul>
    </div>
  );
}
