// Shortcuts of one letter, digit or sign can be switched off, for people who speak to their computer or press
// keys by accident; the browser keeps the choice.
function keepsLetters(box) {
  const key = "letters as shortcuts";
  box.checked = true;
  try {
    box.checked = localStorage.getItem(key) !== "off";
  } catch { /* this browser keeps nothing: the choice holds while the page is open */ }
  box.addEventListener("change", () => {
    try {
      if (box.checked) localStorage.removeItem(key);
      else localStorage.setItem(key, "off");
    } catch { /* as above */ }
  });
}
