program app 30
