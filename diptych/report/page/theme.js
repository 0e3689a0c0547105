// Before the first paint: the theme that was chosen here last time, if any.
try {
  const theme = localStorage.getItem('diptych-theme');
  if (theme) document.documentElement.style.colorScheme = theme;
} catch { /* storage is off */ }
