"use strict";
// Everything works without this file. It shows a password, sends the last form on its way, and counts the seconds until a new code.
for (const field of document.querySelectorAll("input[type=password][data-show]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "show";
  button.setAttribute("aria-controls", field.id);
  button.setAttribute("aria-pressed", "false");
  button.textContent = field.dataset.show;
  button.addEventListener("click", () => {
    const shown = field.type === "text";
    field.type = shown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!shown));
  });
  field.insertAdjacentElement("afterend", button);
}
const moving = document.querySelector("form[data-submit]");
if (moving) moving.submit();
